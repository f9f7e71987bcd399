import { type OamRollout } from '@/lib/rollout/oam/parse';
import { markOf } from '@/lib/rollout/revision-mark';
import { type ReleaseRevision, type RevisionComparison } from '@/lib/rollout/rollout';
import { type RolloutInput, type WorkloadFacts } from '@/lib/rollout/system';
import { type Situation, situationOf } from '@/lib/rollout/oam/situation';
import { type RevisionSource, type TemplateFacts } from '@/lib/workloads/workload';
import { called } from '@/lib/workloads/words';

export interface ReleaseRevisions {
  stable: ReleaseRevision | null;
  updated: ReleaseRevision | null;
}

/** What the pods come from and what they go to, by the names that the Rollout has for them. */
export function releaseRevisions(situation: Situation): ReleaseRevisions {
  const { rollout, target, updated, stable, sources } = situation;
  const targetName = targetNameOf(rollout);
  const sourceName = sourceNameOf(situation);
  if (rollout.isInPlace)
    return {
      stable: stable === null ? named(sourceName) : markOf(sourceName ?? stable.name, stable),
      updated: updated === null ? pendingIn(target, targetName) : markOf(targetName ?? updated.name, updated),
    };
  return {
    stable: sourceName === null ? null : { ...named(sourceName), images: imagesOf(sources[0]) },
    updated:
      target === null || targetName === null
        ? named(targetName)
        : {
            ...markOf(targetName, updated),
            number: null,
            name: targetName,
            pending: updated === null,
            images: imagesOf(target),
          },
  };
}

/** Name of what is rolled out, or was, or is asked for. */
export function targetNameOf({ status, target }: OamRollout): string | null {
  return status.lastTarget ?? target;
}

/** Name of what the pods come from, which no spec needs to tell; null where there is nothing. */
export function sourceNameOf({ rollout }: Pick<Situation, 'rollout'>): string | null {
  const { status, naming, sources, source } = rollout;
  const name =
    naming === 'workload'
      ? (sources[0] ?? source)
      : (status.lastSource ?? (status.lastTarget === undefined ? source : null));
  return name === targetNameOf(rollout) ? null : name;
}

/** A recorded revision of the component by its name; undefined where it is gone. */
export function recordedRevision(
  { component }: Pick<Situation, 'component'>,
  name: string | null,
): RevisionSource | undefined {
  return name === null ? undefined : component?.revisions.find((revision) => revision.name === name);
}

/** Both as the history of the component has them; undefined where source and target are revisions of the workload itself. */
export function comparisonOf(situation: Situation): RevisionComparison | null | undefined {
  const { rollout, component, stable, updated } = situation;
  if (rollout.isInPlace && stable !== null && updated !== null) return undefined;
  const from = recordedRevision(situation, sourceNameOf(situation));
  const to = recordedRevision(situation, targetNameOf(rollout));
  const history = component?.history ?? null;
  if (history === null || from === undefined || to === undefined || from.uid === to.uid) return null;
  return { ...history, from: from.uid, to: to.uid };
}

/** The templates of both: of the workloads where they are there, else as they are recorded of the component. */
export function sidesOf(
  input: RolloutInput<OamRollout>,
): { before: TemplateFacts; after: TemplateFacts } | null {
  const situation = situationOf(input);
  const { rollout, target, sources } = situation;
  if (rollout.isInPlace) return null;
  if (sources[0] !== undefined && target !== null)
    return { before: sources[0].workload, after: target.workload };
  const before = recordedRevision(situation, sourceNameOf(situation));
  const after = recordedRevision(situation, targetNameOf(rollout));
  return before === undefined || after === undefined ? null : { before, after };
}

/** How what is rolled out is called in a sentence. */
export function updatedWord(situation: Situation): string {
  const { rollout, updated } = situation;
  return wordOf(situation, targetNameOf(rollout), updated, 'the target');
}

export function stableWord(situation: Situation): string {
  return wordOf(situation, sourceNameOf(situation), situation.stable, 'the source');
}

function wordOf(
  { rollout }: Situation,
  name: string | null,
  revision: Situation['updated'],
  otherwise: string,
): string {
  if (rollout.isInPlace && revision !== null) return name === null ? `revision ${called(revision)}` : name;
  if (name === null) return otherwise;
  return rollout.naming === 'workload' ? `${rollout.workload.kind} ${name}` : name;
}

function named(name: string): ReleaseRevision;
function named(name: string | null): ReleaseRevision | null;
function named(name: string | null): ReleaseRevision | null {
  return name === null ? null : { hash: name, id: null, number: null, name, pending: false, images: [] };
}

function pendingIn(target: WorkloadFacts | null, name: string | null): ReleaseRevision | null {
  if (target === null) return named(name);
  return { hash: name, id: null, number: null, name, pending: true, images: imagesOf(target) };
}

function imagesOf(facts: WorkloadFacts | undefined): ReleaseRevision['images'] {
  return facts?.workload.images.map(({ container, image }) => ({ container, image })) ?? [];
}
