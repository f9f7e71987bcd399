import { cutEnd } from '@/lib/format/text';
import { isoTime } from '@/lib/format/time';
import type { JsonObject } from '@/lib/kube/json';
import { FIELD_MANAGER } from '@/lib/kube/managed-fields';
import { objectAt, objectsAt, textAt, valueAt } from '@/lib/kube/read';
import { isOfKind, typeOf } from '@/lib/kube/resource';
import { coversTemplate, queriesTemplate, textsAt } from '@/lib/owners/ignored-paths';
import type { Marked, OwnerReading, Reading } from '@/lib/owners/owner';
import { blockAt } from '@/lib/owners/sync-windows';
import { needsPerson, type Verdict } from '@/lib/owners/verdict';

const SKIP = 'argocd.argoproj.io/skip-reconcile';
/** It is only shown. */
const PATH_CHARS_MAX = 200;
const STAGES = 'kargo.akuity.io/authorized-stage';

/**
 * By the order in which Argo CD decides whether it syncs: skip-reconcile, windows, running operation, automation, last
 * sync, self-heal. https://argo-cd.readthedocs.io/en/stable/user-guide/auto_sync/
 */
export function whatArgoUndoes(
  application: JsonObject,
  { project, parents }: Pick<OwnerReading, 'project' | 'parents'>,
  marked: Marked,
  nowMs: number,
): Verdict {
  if (textAt(application, 'metadata', 'annotations', SKIP) === 'true') return { when: 'skipped' };
  const open = whenOpen(application, parents[0]?.object, marked);
  if (project.state !== 'found') return needsPerson(open) ? open : { when: 'unlessWindow', then: open };
  const block = blockAt(project.object, application, nowMs);
  if (block === null) return open;
  const time = block.untilMs === null ? null : isoTime(block.untilMs);
  return { when: 'notBefore', time, window: block.kind, then: open };
}

/** Without windows. */
function whenOpen(application: JsonObject, parent: Reading | undefined, marked: Marked): Verdict {
  const then = whenIdle(application, parent, marked);
  const isRunning =
    objectAt(application, 'operation') !== undefined ||
    textAt(application, 'status', 'operationState', 'phase') === 'Running';
  return isRunning ? { when: 'afterOperation', then } : then;
}

function whenIdle(application: JsonObject, parent: Reading | undefined, marked: Marked): Verdict {
  const commit = { when: 'nextCommit', ...sourcesOf(application) } as const;
  if (parent?.state === 'found' && rollsInSteps(parent.object)) return commit;
  const automated = objectAt(application, 'spec', 'syncPolicy', 'automated');
  if (automated === undefined || automated.enabled === false)
    return { when: 'manualSync', stages: stagesOf(application) };
  const ignored = isIgnored(application, marked);
  const respects = textsAt(application, 'spec', 'syncPolicy', 'syncOptions').includes(
    'RespectIgnoreDifferences=true',
  );
  if (ignored && respects) return { when: 'excluded', by: 'ignoreDifferences' };
  if (automated.selfHeal !== true) return commit;
  if (ignored) return { when: 'nextSync' };
  return hasFailed(application) ? { ...commit, when: 'notWhileFailed' } : { when: 'seconds' };
}

/** Whether the last sync failed at the commit that is compared now: a newer one is synced at once. */
function hasFailed({ status }: JsonObject): boolean {
  const phase = textAt(status, 'operationState', 'phase');
  if (phase !== 'Failed' && phase !== 'Error') return false;
  const revisionsOf = (object: JsonObject | undefined) =>
    JSON.stringify([object?.revision, object?.revisions]);
  const [attempted, compared] = [objectAt(status, 'operationState', 'syncResult'), objectAt(status, 'sync')];
  const isKnown = attempted !== undefined && compared !== undefined;
  return !isKnown || revisionsOf(attempted) === revisionsOf(compared);
}

/** The paths of its sources. That of a hydrator is the branch that is written from a commit elsewhere. */
function sourcesOf(application: JsonObject): { paths: readonly string[]; sources: number } {
  const several = objectsAt(application, 'spec', 'sources');
  const single = objectAt(application, 'spec', 'source');
  const hydrated = objectAt(application, 'spec', 'sourceHydrator', 'drySource');
  const sources = several.length > 0 ? several : [hydrated ?? single].filter((each) => each !== undefined);
  const paths = sources.flatMap((source) => textAt(source, 'path') ?? []);
  return { paths: paths.map((path) => cutEnd(path, PATH_CHARS_MAX)), sources: sources.length };
}

/** Its controller turns automation off and syncs the applications itself. */
function rollsInSteps(applicationSet: JsonObject): boolean {
  return textAt(applicationSet, 'spec', 'strategy', 'type') === 'RollingSync';
}

/** Stages of Kargo as `project/stage`: their promotions sync even without automation. */
function stagesOf(application: JsonObject): string[] {
  const text = textAt(application, 'metadata', 'annotations', STAGES) ?? '';
  return text
    .split(',')
    .map((stage) => stage.trim().replace(':', '/'))
    .filter((stage) => /^[a-z0-9-]{1,63}\/[a-z0-9-]{1,63}$/.test(stage));
}

/** Whether no change of the template is drift to it; of rules that cover parts, nothing is said. */
function isIgnored(application: JsonObject, marked: Marked): boolean {
  return objectsAt(application, 'spec', 'ignoreDifferences').some(
    (rule) =>
      selects(rule, marked) &&
      (coversTemplate(textsAt(rule, 'jsonPointers')) ||
        queriesTemplate(textsAt(rule, 'jqPathExpressions')) ||
        textsAt(rule, 'managedFieldsManagers').includes(FIELD_MANAGER)),
  );
}

function selects(rule: JsonObject, { resource, namespace, name }: Marked): boolean {
  const group = textAt(rule, 'group') ?? '';
  const kind = textAt(rule, 'kind') ?? '*';
  const own = typeOf(resource);
  return (
    isOfKind(resource, group === '*' ? own.group : group, kind === '*' ? own.plural : kind) &&
    ['', name].includes(textAt(rule, 'name') ?? '') &&
    ['', namespace].includes(textAt(rule, 'namespace') ?? '')
  );
}

/**
 * Whether an ApplicationSet leaves the sync policy of its applications alone, so that a change of it lasts; of an
 * ApplicationSet that could not be read, nothing shows that it does.
 * https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Controlling-Resource-Modification/
 */
export function leavesSyncPolicy(applicationSet: Reading, application: string): boolean {
  if (applicationSet.state !== 'found') return false;
  const { object } = applicationSet;
  const policy = textAt(object, 'spec', 'syncPolicy', 'applicationsSync') ?? '';
  if (['create-only', 'create-delete'].includes(policy)) return true;
  return objectsAt(object, 'spec', 'ignoreApplicationDifferences').some(
    (rule) =>
      ['', application].includes(textAt(rule, 'name') ?? '') &&
      (textsAt(rule, 'jsonPointers').some((pointer) => ['/spec', '/spec/syncPolicy'].includes(pointer)) ||
        textsAt(rule, 'jqPathExpressions').some((query) => ['.spec', '.spec.syncPolicy'].includes(query))),
  );
}

/** Whether its status lists the object; an application that has never been compared has no such list. */
export function listsObject(application: JsonObject, { resource, namespace, name }: Marked): boolean {
  if (valueAt(application, 'status', 'resources') === undefined) return true;
  return objectsAt(application, 'status', 'resources').some(
    (each) =>
      isOfKind(resource, textAt(each, 'group') ?? '', textAt(each, 'kind') ?? '') &&
      (textAt(each, 'namespace') ?? namespace) === namespace &&
      textAt(each, 'name') === name,
  );
}

/** Whether it deploys to the cluster at this address, or that its Argo CD calls so. */
export function deploysTo(
  application: JsonObject,
  { server, name }: { server: string; name: string | null },
): boolean {
  const address = textAt(application, 'spec', 'destination', 'server');
  if (address !== undefined && address !== '') return addressOf(address) === addressOf(server);
  return name !== null && textAt(application, 'spec', 'destination', 'name') === name;
}

function addressOf(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/\/$/, '') : url;
}
