import { objectAt, objectsAt, textAt } from '@/lib/kube/read';
import rows from '@/test/replay/corrections/unread-template.json' with { type: 'json' };
import type { Changes, Correction, Row } from '@/test/replay/judge';

/** The right values of each row. */
const right: Readonly<Record<string, Readonly<Record<string, Changes>>>> = rows;

/**
 * `kubectl argo rollouts` names the end of a pause before a template that was not read, and both as Progressing: its order
 * says nothing of what the status is about.
 */
export const unreadTemplate: Correction = {
  name: 'at the end of a pause, too, a status says nothing of a template that its controller has not read',
  source:
    'https://github.com/argoproj/argo-rollouts/blob/master/utils/rollout/rolloututil.go (GetRolloutPhase, isWorkloadGenerationObserved)',
  rows: Object.fromEntries(Object.entries(rows).map(([input, each]) => [input, Object.keys(each).length])),
  applies: ({ of, facts }, scene) => {
    const name = of.split('/').at(-1);
    const rollout = scene().objects.find(
      ({ kind, metadata }) => kind === 'Rollout' && metadata.name === name,
    );
    if (facts === null || !of.includes('rollouts.argoproj.io ') || rollout === undefined) return false;
    const { metadata, spec, status } = rollout;
    const written = metadata.annotations?.['rollout.argoproj.io/workload-generation'];
    return (
      objectAt(spec, 'workloadRef') !== undefined &&
      Number(textAt(status, 'observedGeneration')) >= (metadata.generation ?? 0) &&
      status?.controllerPause === true &&
      objectsAt(status, 'pauseConditions').length === 0 &&
      written !== undefined &&
      written !== textAt(status, 'workloadObservedGeneration')
    );
  },
  right: (_, row) => changesOf(row),
};

function changesOf({ input, at, of }: Row): Changes {
  return right[input]?.[`${at}, ${of}`] ?? {};
}
