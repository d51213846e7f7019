# syntax=docker/dockerfile:1
# Both programs in one image: evenkeel-controller (what it runs by itself) and the CLI evenkeel without the demo, whose embedded
# cluster is a development dependency:
#   docker run --rm evenkeel dist/cli/main.js --help
# A release names both bases by digest, so that the same sources give the same image whenever it is built:
#   docker build --build-arg BUILD_IMAGE=node:24-trixie-slim@sha256:… --build-arg RUNTIME_IMAGE=…@sha256:… \
#     --build-arg SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) --output type=image,name=evenkeel,rewrite-timestamp=true .
ARG BUILD_IMAGE=node:24-trixie-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs24-debian13:nonroot

FROM ${BUILD_IMAGE} AS build
ARG SOURCE_DATE_EPOCH=0
WORKDIR /src
COPY package.json package-lock.json ./
COPY packages/kube/package.json ./packages/kube/
COPY packages/embedded-cluster/package.json ./packages/embedded-cluster/
# Exactly what the lock file says, by its digests; no script of a package runs.
RUN npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
COPY tsconfig.json tsconfig.build.json dist.package.json ./
COPY packages/kube ./packages/kube
COPY src ./src
RUN npm run -s build
# The links to our own packages lead nowhere in the image: dist/ has what it needs of them.
RUN npm prune --no-save --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error && rm -r node_modules/@evenkeel

# No shell and no package manager: Node.js and ours alone.
FROM ${RUNTIME_IMAGE}
LABEL org.opencontainers.image.title="Evenkeel" org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
ENV NODE_ENV=production
COPY package.json LICENSE ./
COPY --from=build /src/node_modules ./node_modules
COPY --from=build /src/dist ./dist
COPY crds ./crds
# By number: a kubelet that is to see that it is not root cannot look up a name.
USER 65532:65532
EXPOSE 9090 8081 8080
ENTRYPOINT ["/nodejs/bin/node", "--heap-growing-percent=40", "--disable-warning=ExperimentalWarning"]
CMD ["dist/cmd/evenkeel-controller.js"]
