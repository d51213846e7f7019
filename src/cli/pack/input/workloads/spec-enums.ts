import { objectsAt, textAt, type Wire } from '#kube/wire';

const ENUMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  topologySpreadConstraints: {
    whenUnsatisfiable: ['DoNotSchedule', 'ScheduleAnyway'],
    nodeAffinityPolicy: ['Honor', 'Ignore'],
    nodeTaintsPolicy: ['Honor', 'Ignore'],
  },
  tolerations: { effect: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'], operator: ['Equal', 'Exists', 'Lt', 'Gt'] },
};

/** Values of a pod spec that the API server refuses, and that would change what a rule means. @throws WireError */
export function enumProblems(spec: Wire): string[] {
  return Object.entries(ENUMS).flatMap(([list, fields]) =>
    objectsAt(spec, list, `spec.${list}`).flatMap((item, at) =>
      Object.entries(fields).flatMap(([field, values]) => {
        const path = `spec.${list}[${at}].${field}`;
        const value = textAt(item, field, path);
        if (value === '' || values.includes(value)) return [];
        return [`${path}: ${JSON.stringify(value)} must be ${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`];
      }),
    ),
  );
}
