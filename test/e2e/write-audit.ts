import { findResource, nameOf } from '../../src/adapters/kubernetes/transport/request-names.ts';
import type { EmbeddedApiServer } from '#embedded-cluster/api/embedded-api-server';
import type { AuditEvent } from '../controlplane/real-cluster.ts';

/** Records each write to an embedded API server, like the audit log of a real one, in the order in which they are carried out. */
export function recordWrites(server: EmbeddedApiServer): readonly AuditEvent[] {
  const events: AuditEvent[] = [];
  const handle = server.handle.bind(server);
  server.handle = (call) => {
    const answer = handle(call);
    const { method, path, userAgent, user } = call;
    const target = findResource(path);
    if (method === 'GET' || target === undefined) return answer;
    const { plural, name, namespace, subresource } = target;
    const time = new Date().toISOString();
    events.push({
      stage: 'ResponseComplete',
      verb: nameOf({ method, path }).verb,
      requestURI: path,
      user: { username: user.username },
      ...(userAgent === undefined ? {} : { userAgent }),
      objectRef: {
        resource: plural,
        ...(name === undefined ? {} : { name }),
        ...(namespace === undefined ? {} : { namespace }),
        ...(subresource === undefined ? {} : { subresource }),
      },
      responseStatus: { code: answer.status },
      ...(plural === 'leases' || path.startsWith('/apis/evenkeel.io/') ? { requestObject: structuredClone(call.body) } : {}),
      requestReceivedTimestamp: time,
      stageTimestamp: time,
    });
    return answer;
  };
  return events;
}
