/** The threats to access, what answers each, and the test that shows it. test/docs/access.test.ts checks that the tests exist. */
export const ACCESS_THREATS = `## Threats

Limits of one client and of all are in [security.md](security.md#bounds-of-the-dashboard).

| an attacker | what answers it | test |
| --- | --- | --- |
| guesses passwords or API keys | ten failures a minute of an address; scrypt; keys of 256 random bits; comparisons in constant time | src/server/authentication.test.ts: "with a wrong password, and after ten failures in a minute with any, is refused" |
| reads cookies or passwords on the network | TLS 1.2 or 1.3 (\`dashboard.tls\`, or a proxy); cookies \`__Host-\`, Secure and HttpOnly; HSTS | src/server/tls.test.ts: "a session is in a cookie that browsers send over TLS alone, and is signed in with it"; src/server/tls.test.ts: "%s is accepted: %s"; src/server/tls.test.ts: "browsers must keep using TLS for host %s, except on loopback: %s" |
| waits for a renewal of the certificate that fails | the earlier pair stays in use; the log and health have the reason | src/runtime/tls/certificate-files.test.ts: "a deleted file, until it is there again"; src/runtime/tls/certificate-files.test.ts: "%s" |
| runs a script in the page | a content security policy without inline scripts, on every answer; cookies that scripts cannot read | src/server/security-headers.test.ts: "no page has a script or a handler of its own, which the policy would have to allow"; src/server/security-headers.test.ts: "%s is answered %d" |
| has a browser act for a user: another site, a frame, DNS rebinding | checks of Origin, Sec-Fetch-Site and Host on every request; frame-ancestors 'none'; SameSite=Lax | src/server/conventions.test.ts: "a page of another site"; src/server/security-headers.test.ts: "%s is answered %d" |
| forges or alters a session | cookies sealed with AES-256-GCM by a key in a Secret | src/server/authentication.test.ts: "that is malformed never has a scope" |
| has an old session key | a new key every week; the earlier one is removed when its sessions have ended; removing all ends every session | src/adapters/kubernetes/credentials/access-store.test.ts: "are rotated every week by any leader, and the earlier one is removed when its sessions have ended"; src/core/access/session-keys.test.ts: "every session opens until it ends, on replicas that read keys late and by clocks that differ, and no key outlives its use" |
| passes as a user by the header of a proxy | the header counts from \`auth.proxy.addresses\` alone | src/server/proxy-sign-in.test.ts: "of an address that is no proxy has no effect, and a warning names the address" |
| uses a revoked key, grant or session | a revoke is answered once every replica has reported it; what the API server has not confirmed for ten seconds is not served | src/adapters/kubernetes/credentials/access-store.test.ts: "that cannot be confirmed for ten seconds are not served"; test/controlplane/revocation.test.ts |
| has an API key | it reads what its address may, changes nothing, and manages no keys | src/server/authentication.test.ts: "are managed by an admin with a session alone" |
| finds an endpoint without a check | an endpoint, query or command without an access does not start | src/server/api-router.test.ts: "an operation whose access is %j does not start"; src/server/openapi/document.test.ts: "an endpoint that is no query or command, and has no access, does not start"; src/core/access/requirement.test.ts: "a call with the requirement %j does not start: it would be open to everyone" |
| reads or counts objects of other namespaces | every answer to a scoped caller equals that of the same data without the other namespaces | src/server/access-table.test.ts: "%s"; src/server/access-table.test.ts: "no cell is untested" |
| changes the trail of what was done | access events in hash chains | src/core/access/events/verify-chain.test.ts: "A removed event is found" |
| opens connections and sends nothing, or slowly | shares of connections; deadlines of the handshake, the head and the body | test/e2e/half-open.test.ts: "ten thousand half-open connections are closed, and meanwhile other clients and probes are answered, and memory is bounded"; src/server/security-headers.test.ts: "a head in small pieces is closed at the deadline, however regularly they arrive" |
| sends large heads, many headers, large cookies, or heads that two servers read differently | 16 KiB and 100 headers; refused where they are ambiguous | src/server/security-headers.test.ts: "%s is answered %d"; src/server/security-headers.test.ts: "a large cookie within the limit of the head is no session" |
| reads credentials in logs, Events, errors or metrics | none has them: every suite searches its output for the secrets that it uses | src/server/secrets.test.ts: "credentials stay out of answers, the log, Events and metrics"; test/e2e/known-secrets.test.ts: "a fixture fails where a process prints a secret, or an answer has one, and its message does not have it" |
| meets a dashboard that requires no credential | a warning in the log, health and \`/mode\`; changes from loopback alone by the chart's default | src/cmd/controller/open-dashboard.test.ts: "a dashboard without authentication %s is reported"; src/server/conventions.test.ts: "the mode has the warnings of the process, such as that no credential is required" |
| tries unnoticed | metrics \`evenkeel_auth_*\`, the log, access events | src/server/auth-metrics.test.ts: "denials are counted by reason, and no label has a credential or an address" |
| reads Secrets that an installation left | the uninstall deletes session keys, ended sessions, the local admin and API keys | src/cli/uninstall/restorers/access.test.ts: "an uninstall deletes sessions, the local admin and API keys, and no other Secret" |

Not answered: a user who may read Secrets of Evenkeel's namespace, change AccessPolicies, or run a pod in that namespace; they are administrators of
Evenkeel. Without TLS to Evenkeel or to a proxy, a user who reads the network has the cookies. A client that sends a credential as the name of a field
gets it back in the error.
`;
