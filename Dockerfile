# syntax=docker/dockerfile:1
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm install --no-save --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm run -s build && npm prune --omit=dev --no-audit --no-fund

FROM gcr.io/distroless/nodejs24-debian12:nonroot
WORKDIR /app
ENV NODE_ENV=production
COPY package.json LICENSE ./
COPY --from=build /src/node_modules ./node_modules
COPY --from=build /src/dist ./dist
COPY crds ./crds
USER nonroot
EXPOSE 9090 8081 8080
ENTRYPOINT ["/nodejs/bin/node", "--disable-warning=ExperimentalWarning", "dist/cmd/evenkeel-controller.js"]
