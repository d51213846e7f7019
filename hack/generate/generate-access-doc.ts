// Writes docs/access.md from the queries and commands: what each endpoint does and which access it requires. With --check fails when the
// file is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { DASHBOARD_API } from '../../src/server/openapi/document.ts';
import { ACCESS_THREATS } from './access-threats.ts';
import { isMutation, type Operation } from '../../src/server/openapi/operation.ts';
import { accessTable, mcpTable } from './access-table.ts';

const ACCESS_TEXT: Readonly<Record<Operation['access'], string>> = {
  open: 'everyone, without a credential',
  identified: 'anyone identified',
  viewer: 'viewer; of the named namespaces, or filtered to the granted ones',
  operator: 'operator of the namespace of each item',
  admin: 'admin',
  'admin-session': 'admin, with a session',
  'pod-tool': 'admin, where the tool is switched on',
};

/** Access to an endpoint whose path has one namespace. */
const NAMESPACE_ACCESS_TEXT: typeof ACCESS_TEXT = {
  ...ACCESS_TEXT,
  viewer: 'viewer of the namespace',
  operator: 'operator of the namespace',
};

const file = join(import.meta.dirname, '..', '..', 'docs', 'access.md');
const wanted = await format(document(), { ...(await resolveConfig(file)), parser: 'markdown' });
if (process.argv.includes('--check')) {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== wanted) {
    console.error('docs/access.md is stale');
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, wanted);
}

function document(): string {
  const { operations, basePath } = DASHBOARD_API;
  const rows = operations.map(
    (operation) =>
      `| \`${operation.method.toUpperCase()} ${operation.path}\` | \`${operation.id}\` | ${operation.title} | ${accessText(operation)} | ${isMutation(operation) ? 'yes' : ''} |`,
  );
  return `# Access

You want Evenkeel to ask for a credential, grant a role, or see an answer 401 or 403 of the API.

While \`auth.enabled\` is false, the default, every caller is an admin without a session, and credentials have no effect.

## Require a credential

1. Set \`auth.enabled: true\` and \`auth.initialAdmin\` to your e-mail address, in the chart under \`config\`. The leader creates the
   AccessPolicy \`default\` with you as admin, where none exists. Without Helm, also apply \`config/auth\`, the permissions that this needs.
2. Set the password of the local admin, in Evenkeel's namespace: \`evenkeel password ana@example.com -n evenkeel-system\`. It asks for
   the password, or reads it from standard input, and writes its scrypt hash to the Secret \`evenkeel-local-admin\`. In the pod it is
   \`kubectl -n evenkeel-system exec -it deployment/evenkeel-controller -- /nodejs/bin/node /app/dist/cli/main.js password ana@example.com\`.
3. Open the dashboard and sign in. Scripts post \`{ "email", "password" }\` to \`/api/v1/auth/local\` and keep the cookie.

To try it on the [embedded cluster](embedded-cluster.md), start the controller separately, with the kubeconfig that the first command prints:

\`\`\`sh
npm run -s evenkeel -- demo --no-controller
export KUBECONFIG=/tmp/evenkeel-demo-…/kubeconfig # in a second terminal
EVENKEEL_AUTH_ENABLED=true EVENKEEL_AUTH_INITIAL_ADMIN=ana@example.com npm run -s controller:embedded
npm run -s evenkeel -- password ana@example.com   # in a third terminal, also with KUBECONFIG; then open http://127.0.0.1:9090
\`\`\`

Passwords and cookies are only as private as the connection. Either let the dashboard answer over HTTPS, as below, or put a proxy with TLS in
front, and set \`dashboard.publicUrl\` to its https address and \`dashboard.trustedProxies\` to its own.

## HTTPS

\`dashboard.tls.certFile\` and \`dashboard.tls.keyFile\` name a certificate with its chain and its key, in PEM; port 9090 then answers over TLS 1.2 or 1.3
alone. In the chart, \`secrets.dashboardTls.name\` names a Secret of type \`kubernetes.io/tls\`, such as cert-manager writes, and sets both. The
certificate needs the names by which clients connect: that of your proxy or Ingress, and \`evenkeel.evenkeel-system.svc\` inside the cluster.

The files are read every ten seconds, so a renewed certificate needs no restart. Where they are no certificate and its key, the earlier pair stays
in use, and the log and the health source \`dashboard-tls\` have the reason; the source also reports a certificate that has expired. At the start they
must be valid.

Over TLS the cookie is \`__Host-evenkeel\`, and browsers must use TLS for the host for a year (HSTS), except on loopback. An Ingress has to
connect over HTTPS too, with nginx by the annotation \`nginx.ingress.kubernetes.io/backend-protocol: HTTPS\` in \`ingress.annotations\`, and clients
in the cluster use https. Without \`dashboard.tls\`, clients in the cluster reach the API at \`http://evenkeel.evenkeel-system.svc:9090\`. Probes and metrics stay on
their own ports, over plain HTTP.

## Grant a role

The AccessPolicy \`default\` is the only one in effect. Each address has one grant. Write it with kubectl, or with \`PUT /api/v1/access-policy\`:

\`\`\`yaml
apiVersion: evenkeel.io/v1alpha1
kind: AccessPolicy
metadata: { name: default }
spec:
  grants:
    - { email: ana@example.com, role: admin }
    - { email: ben@example.com, role: operator, namespaces: [shop, 'team-*'] }
    - { email: eve@example.com, role: viewer, namespaces: ['*'], expiresAt: '2027-01-01T00:00:00Z' }
  autoApprove:
    - { domain: example.com, role: viewer, namespaces: [sandbox] }
\`\`\`

A viewer reads in its namespaces, an operator also changes there, an admin may do everything. \`'*'\` is every namespace, without what only
an admin sees. A change applies to the next request of every session and API key, and ends open streams. Grants, API keys and sessions are read from the API server every five seconds and at
every change. Where they cannot be confirmed for ten seconds, requests are answered 503: an outage prolongs no permission. The health source \`access\` has the reason.

\`autoApprove\` gives a role to every signed-in address of a domain, without its subdomains, that has no grant of its own. It is evaluated
on every request like a grant: removing the domain ends it at once. A grant of the address wins, also one that has expired: it excludes an
address of the domain. API keys need a grant of their own.

\`kubectl get accesspolicy default\` shows whether the policy is Ready. Reason \`InvalidSpec\` names entries that give nothing, such as a
glob that cannot be read, and \`NoAdmin\` means that only kubectl can repair the policy. The message counts expired grants.

\`PUT /api/v1/access-policy\` replaces all grants and needs a signed-in admin and the \`resourceVersion\` that was read with them. It
answers 409 where the policy has changed since, where no admin with an unexpired grant would be left, and where your own role admin would
go. Each change is in the audit log, and an Event of the AccessPolicy names who changed what.

## Request access

A signed-in user without a grant sees a form on the dashboard, or posts \`{ "role", "namespaces", "reason" }\` to
\`/api/v1/access-requests\`. Each address has one pending request, and the AccessPolicy holds 200 requests in its status; decided ones stay
for 30 days at most. An admin reads them with \`GET /api/v1/access-requests\`, and posts \`{ "id" }\` to \`/api/v1/access-requests/approve\`
or \`/deny\`. An approval may have a lower \`role\`, fewer \`namespaces\` and an \`expiresAt\`, never more than was requested.

## Sessions

A session lasts 12 hours (\`auth.session.lifetime\`), or one hour without a request (\`auth.session.idleTimeout\`). An admin's open page sends
requests by itself. Shorter values apply at once also to sessions that have begun, a longer lifetime to new ones. Signing out ends a session on
every replica.

The cookie of a session is sealed by a key that all replicas share (Secret \`evenkeel-session-keys\`). The leader adds a new key every week, which
seals a minute later, and removes the earlier one when its last session has ended. To rotate by hand, add another one whose name sorts last, such as
the present time. After a leak, remove every key: that ends every session, and the leader adds a new one within a minute. A key whose name sorts
after the present time is yours to rotate and to remove.

\`\`\`sh
kubectl -n evenkeel-system patch secret evenkeel-session-keys -p "{\\"stringData\\":{\\"$(date -u +%Y%m%dT%H%M%S000Z)\\":\\"$(openssl rand -base64 32)\\"}}"
\`\`\`

## Sign in by OpenID Connect

Register Evenkeel with your issuer as a web application, with the redirect URI \`https://evenkeel.example.com/auth/callback\`, put the secret that it
gives you into a Secret, and name both:

\`\`\`sh
kubectl -n evenkeel-system create secret generic evenkeel-oidc --from-literal=client-secret="$SECRET"
\`\`\`

\`\`\`yaml
config:
  auth:
    enabled: true
    initialAdmin: ana@example.com
    local: { enabled: false } # no password besides
    oidc:
      issuer: https://accounts.google.com
      clientId: 1234.apps.googleusercontent.com
      displayName: Google # on the button
  dashboard:
    publicUrl: https://evenkeel.example.com
secrets:
  oidcClientSecret: { name: evenkeel-oidc }
\`\`\`

- **Google**: in the Google Cloud console, create an OAuth client of type web application with that URI under the authorized redirect URIs. The
  issuer is \`https://accounts.google.com\`. Google has no page to sign out: signing out ends the session of Evenkeel alone.
- **Dex**: the issuer is the \`issuer\` of its configuration, which also lists the client:

  \`\`\`yaml
  staticClients:
    - id: evenkeel
      name: Evenkeel
      secret: the same secret
      redirectURIs: ['https://evenkeel.example.com/auth/callback']
  \`\`\`

- **Keycloak**: the issuer is \`https://keycloak.example.com/realms/REALM\`. Create a client of type OpenID Connect with client authentication and
  the standard flow, the redirect URI above, and \`https://evenkeel.example.com/\` as its post logout redirect URI. Users need a verified e-mail address.

Only an address with the claim \`email_verified: true\` is accepted. It is then like any other: it sees what its grant allows, or that it has none.
Evenkeel uses PKCE, checks signature, audience, nonce and the issuer of each answer, and neither stores nor logs a token: the session lasts
as [any other](#sessions), whatever the issuer's lasts. The clocks may differ by a minute. While the issuer does not answer, its page says so (503), and existing
sessions are served; the health source \`identity-provider\` has the reason. For a longer outage, set \`auth.local.enabled: true\` and a password. \`auth.oidc.caFile\` names a CA of your own, mounted by
\`controller.extraVolumes\`. The chart's NetworkPolicy lets connections out to the port of the issuer; one that serves keys or tokens at another
port needs \`networkPolicy.extraEgress\`. A proxy in front has to pass on the Host of \`dashboard.publicUrl\`, port included.

## Sign in by a reverse proxy

A proxy that has signed the user in, such as [oauth2-proxy](https://oauth2-proxy.github.io/oauth2-proxy/), sends the address in a header:

\`\`\`yaml
config:
  auth:
    enabled: true
    initialAdmin: ana@example.com
    proxy:
      header: X-Forwarded-Email # of oauth2-proxy; nginx below: X-Auth-Request-Email
      addresses: [10.8.3.7] # from which the proxy connects to Evenkeel
  dashboard:
    publicUrl: https://evenkeel.example.com
    trustedProxies: [10.8.3.7] # so that clients have their own address
\`\`\`

The header has exactly one address, and counts only on connections from \`auth.proxy.addresses\`, whatever \`X-Forwarded-For\` has. **Every client
that can connect from such an address can be any user**: list single addresses, or a range to whose pods a NetworkPolicy restricts the
dashboard (\`networkPolicy.dashboardFrom\`). \`127.0.0.1\` trusts all users who may port-forward to the pod. The proxy has to replace the header
of its clients, and to accept verified addresses only.

oauth2-proxy in front of Evenkeel replaces \`X-Forwarded-Email\` and passes the Host by default:

\`\`\`sh
oauth2-proxy --http-address=0.0.0.0:4180 --upstream=http://evenkeel.evenkeel-system:9090 \\
  --provider=oidc --oidc-issuer-url=https://issuer.example.com --redirect-url=https://evenkeel.example.com/oauth2/callback \\
  --client-id=evenkeel --client-secret-file=/etc/oauth2-proxy/client-secret --cookie-secret-file=/etc/oauth2-proxy/cookie-secret \\
  --email-domain=example.com
\`\`\`

Do not set \`--pass-authorization-header\`: a bearer token counts as an API key, which wins over the header. Leave
\`--insecure-oidc-allow-unverified-email\` off. For \`auth_request\` of nginx, run oauth2-proxy with \`--reverse-proxy --set-xauthrequest\` and
without an upstream:

\`\`\`nginx
location /oauth2/ {
  proxy_pass       http://127.0.0.1:4180;
  proxy_set_header Host $host;
  proxy_set_header X-Auth-Request-Redirect $request_uri;
}
location = /oauth2/auth {
  proxy_pass              http://127.0.0.1:4180;
  proxy_set_header        Host $host;
  proxy_set_header        Content-Length "";
  proxy_pass_request_body off;
}
location / {
  auth_request     /oauth2/auth;
  error_page       401 =403 /oauth2/sign_in;
  auth_request_set $email $upstream_http_x_auth_request_email;
  proxy_set_header X-Auth-Request-Email $email; # replaces that of the client; without a value nginx sends none
  proxy_set_header Host $host;
  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
  proxy_set_header X-Forwarded-Proto $scheme;
  proxy_pass       http://evenkeel.evenkeel-system:9090;
}
\`\`\`

The user has the role of its grant. \`GET /api/v1/auth/session\`, with which the page begins, sets a session cookie; managing keys needs both it and
the header. Users sign out at the proxy (\`/oauth2/sign_out\`): the cookie alone is no credential
([why](decisions/0034-the-session-of-a-proxys-user.md)). Pods reach the API by its Service with an API key.

## API keys

An API key reads, and changes nothing. It belongs to an address with a grant, and may read what that address may at the time of the request. A
signed-in admin creates one with \`POST /api/v1/api-keys\` (\`{ "email", "label" }\`); the answer is the only place where the key is readable. Clients send
it as \`Authorization: Bearer ek_…\`. \`DELETE /api/v1/api-keys/{id}\` [revokes](#revoke-a-permission) it. Each key is a Secret \`evenkeel-api-key-…\` with its SHA-256.
Creating and revoking keys is in the audit log, and an Event of the AccessPolicy.

A user who may read Secrets of Evenkeel's namespace can forge a session, and one who may change AccessPolicies can grant a role. Restrict both
to administrators of the cluster.

## Rate limits

| what                                                            | limit                          | setting                                                          |
| --------------------------------------------------------------- | ------------------------------ | ---------------------------------------------------------------- |
| requests with one API key, or in all sessions of one user       | 200 a second, 400 at once      | \`rateLimit.perCredentialPerSecond\`, \`rateLimit.credentialBurst\` |
| requests of one address, without a valid credential             | 500 a second, 1,000 at once    | \`rateLimit.perAddressPerSecond\`, \`rateLimit.burst\`               |
| wrong passwords of one address, after which none is checked     | 10 a minute                    | \`rateLimit.failedAuthenticationsPerMinute\`                       |
| sign-ins of one user                                            | 20 at once, then 12 an hour    |                                                                  |
| requests for access of one user                                 | 10 at once, then one in 6 s    |                                                                  |
| refused answers of the issuer, after which none is verified     | 10 a minute                    | the same                                                         |
| failed authentications, after which invalid API keys get a 429  | 10 a minute                    | the same                                                         |

Beyond a limit the answer is 429 \`rate_limited\`, and \`Retry-After\` has the seconds to wait. Each replica counts by itself. A valid session or
API key is never refused because of failures of its address. While \`auth.enabled\` is false, every request counts for its address.

The address is that of the connection, or behind a proxy of \`dashboard.trustedProxies\` the last hop of \`X-Forwarded-For\` that is not such a
proxy. List each proxy and load balancer there (addresses, or ranges such as \`10.0.0.0/8\`): otherwise all clients behind it have one address.
An IPv6 client counts by its /64. More limits are in [security.md](security.md#bounds-of-the-dashboard).

## Revoke a permission

Once a key is revoked, a session signed out or a grant changed through the API, the answer means that no replica accepts the old permission
any longer. Each replica keeps a Lease \`evenkeel-access-…\` with the versions of the AccessPolicy, API keys and ended sessions that it has
reached. A revoke is answered when every current Lease has reached it, usually within a fraction of a second, or after ten seconds, when each
older copy has expired; the answer then has the warning \`replica_not_confirmed\` in \`meta.warnings\`. A replica that cannot write its Lease, or was not able to for 20 seconds, reads from
the API server with each request; the health source \`access\` has the reason. A replica that crashed is waited for until 30 seconds after its
last renewal.

A change with kubectl is applied by each replica with its next watch event, usually within milliseconds, and at the latest after ten seconds.

\`make bench BENCH=revocation\` revokes keys, sessions and grants through either of two replicas on a real control plane, and uses each on both
with the next request: a thousand with healthy connections, and others while the second replica's watches are cut or delayed by 30 seconds, or
the API server is gone for it. It fails where one request is allowed.

## Access events

Every change, sign-in, sign-out and denied request is an access event: who, with which credential, from which address, what, before and after, and
whether it was allowed. Admins read them with \`GET /api/v1/access-events\`. Of requests that are denied with the same error code, ten a
minute have an event each, and the others are counted in one. Events are kept for \`history.accessEventRetention\`.

Each process chains its events by hashes, and signs the end of its chain with the key in the Secret \`evenkeel-record-key\`.
\`GET /api/v1/access-events?verify=true\` and \`evenkeel audit verify --store URL\` verify all chains:

| state      | meaning                                                                                                            |
| ---------- | ------------------------------------------------------------------------------------------------------------------ |
| \`intact\`   | every hash and signature is valid                                                                                  |
| \`unsigned\` | hashes are valid, and the end of a chain has no signature: whether the chain was rewritten cannot be determined    |
| \`broken\`   | an event was changed, removed, inserted or moved, or the end of a chain was changed; each fault names the position |

The command exits with 1 where the state is \`broken\`, and with 3 where it is \`unsigned\` although there is a key. A chain that was removed with its end, and a store that was restored to an earlier time,
are found by \`--heads FILE\`, which compares with the ends of the last run: keep the file away from the store. Not found are events that were never written, as by a
process that was killed after a change, and changes with kubectl, which the audit log of the API server has
([why](decisions/0035-access-events-are-chained.md)).

${ACCESS_THREATS}
## Who may call what

Generated by \`make generate\`. Each query (\`src/queries\`) and command (\`src/commands\`) declares its required access;
\`Application\` (\`src/application\`) checks it for every client. This table and \`x-evenkeel-access\` derive from the same
requirements. Items of a bulk request are checked one by one.

Paths are relative to \`${basePath}\`.

| endpoint | name | what | who | changes |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

${statusTable()}

${toolTable()}
`;
}

function statusTable(): string {
  const { columns, table, cells } = accessTable();
  return `## The answer to each caller

Generated by \`make generate\`, and tested cell by cell (\`src/server/access-table.test.ts\`, ${cells} cells). Paths are relative to \`${DASHBOARD_API.basePath}\`, those with \`:9090\` to the dashboard's port. Requests name objects of
namespace \`shop\`; callers without another grant have theirs for \`shop\`. A 403 is for a role or namespace; \`403 key\`: an API key
changes nothing (\`api_key_read_only\`); \`403 session\`: only the session of an admin may (\`session_required\`); \`403 origin\`: the request comes
from a page of another site (\`csrf_failed\`); \`403 off\`: authentication is off (\`feature_disabled\`).

A caller with a grant for some namespaces gets the bytes that a cluster without the other ones would give: items, totals, summaries, cursors,
ETags and errors, as JSON and as CSV. A namespace outside the grant gets the same 403 whether it exists or not.

${columns}

${table}`;
}

function toolTable(): string {
  const { columns, table, cells } = mcpTable();
  return `## The answer of each MCP tool

Generated by \`make generate\`, and tested cell by cell (\`src/server/mcp/access.test.ts\`, ${cells} cells). Calls of tools that need a name ask for a workload of
namespace \`shop\`. A number is the status of the refused request; \`unknown tool\` is the error for a tool that does not exist; \`not authorized\` and
\`not found\` are errors of the tool. Lists have what the caller may read alone.

${columns}

${table}`;
}

function accessText({ path, access }: Operation): string {
  return (path.includes('{ns}') ? NAMESPACE_ACCESS_TEXT : ACCESS_TEXT)[access];
}
