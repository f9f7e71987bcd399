import { createHash } from 'node:crypto';
import { canonicalJson, deepEqual, type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import {
  APP_NAME,
  type Application,
  type ApplicationRevision,
  type ApplicationSpec,
  type KubevelaKinds,
  type LatestRevision,
  publishVersionOf,
  REVISION_HASH,
  type RevisionSpec,
} from '@/sandbox/controllers/kubevela/application';
import { pack, unpack } from '@/sandbox/controllers/kubevela/compression';
import { type Installation } from '@/sandbox/controllers/kubevela/installation';
import { controllerReference, isControlledBy } from '@/sandbox/controllers/objects/owner';
import { isDeleting } from '@/sandbox/controllers/objects/pod';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const KUBEVELA_VERSION = 'oam.dev/kubevela-version';

/** The desired components, and the revision that records them. */
export interface Chosen {
  readonly revision: ApplicationRevision;
  readonly latest: LatestRevision;
  readonly spec: ApplicationSpec;
}

/**
 * The revision of the desired spec: the latest, an older one of equal content, or a new one, whose number
 * follows that of the latest. An existing revision with that number gets the new content.
 * https://github.com/kubevela/kubevela/blob/master/pkg/controller/core.oam.dev/v1beta1/application/revision.go
 */
export async function chooseRevision(
  kinds: KubevelaKinds,
  revisions: Resource<ApplicationRevision>,
  app: Application,
  { compression, version }: Installation,
): Promise<Chosen> {
  const known = revisionsOf(revisions, app);
  const { latestRevision } = app.status;
  const latest = known.find(({ metadata }) => metadata.name === latestRevision?.name);
  const published = publishVersionOf(app);
  // While this stays, the spec is ignored.
  const isPublished =
    latest !== undefined && published !== undefined && publishVersionOf(latest) === published;
  const spec = isPublished ? specIn(latest) : app.spec;
  const hash = hashOf(spec);
  const isEqual = (revision: ApplicationRevision) =>
    revision.metadata.labels?.[REVISION_HASH] === hash &&
    publishVersionOf(revision) === published &&
    deepEqual(specIn(revision), spec);
  const equal = latest !== undefined && isEqual(latest) ? latest : known.find(isEqual);
  if (equal !== undefined) return chosen(equal, spec);
  const name = `${app.metadata.name}-v${(latestRevision?.revision ?? 0) + 1}`;
  const draft = draftOf(kinds, app, name, hash, version);
  const holder = known.find(({ metadata }) => metadata.name === name);
  if (holder === undefined) return chosen(await revisions.create(app.metadata.namespace, draft), spec);
  const { labels, annotations } = draft.metadata;
  return chosen(
    await revisions.replace({
      ...holder,
      metadata: { ...holder.metadata, labels, annotations },
      spec: compression === undefined ? draft.spec : pack(draft.spec, compression),
    }),
    spec,
  );
}

/** Revisions of the Application, by number. */
function revisionsOf(revisions: Resource<ApplicationRevision>, app: Application): ApplicationRevision[] {
  return revisions.store
    .inNamespace(app.metadata.namespace)
    .filter((revision) => isControlledBy(revision, app) && !isDeleting(revision))
    .sort((a, b) => numberOf(a) - numberOf(b));
}

/** Keeps as many old ones as the policy or the installation sets, besides the current one. */
export async function dropOldRevisions(
  revisions: Resource<ApplicationRevision>,
  app: Application,
  inUse: ApplicationRevision,
  { revisionLimit }: Installation,
): Promise<void> {
  const policy = app.spec.policies?.find(({ type }) => type === 'garbage-collect');
  const own = policy?.properties?.applicationRevisionLimit;
  const limit = typeof own === 'number' ? own : revisionLimit;
  const others = revisionsOf(revisions, app).filter(({ metadata }) => metadata.uid !== inUse.metadata.uid);
  for (const old of others.slice(0, Math.max(0, others.length - limit))) await revisions.delete(old);
}

export function specIn(revision: ApplicationRevision): ApplicationSpec {
  const application = unpack(revision.spec).application as { spec: ApplicationSpec };
  return application.spec;
}

/** https://github.com/kubevela/kubevela/blob/master/pkg/controller/core.oam.dev/v1beta1/application/revision.go (ComputeAppRevisionHash) */
function hashOf(spec: ApplicationSpec): string {
  return createHash('sha1').update(canonicalJson(spec)).digest('hex').slice(0, 16);
}

function chosen(revision: ApplicationRevision, spec: ApplicationSpec): Chosen {
  const revisionHash = revision.metadata.labels?.[REVISION_HASH] ?? '';
  const { name } = revision.metadata;
  return { revision, spec, latest: { name, revision: numberOf(revision), revisionHash } };
}

function numberOf({ metadata }: ApplicationRevision): number {
  return Number(/-v(\d+)$/.exec(metadata.name)?.[1] ?? 0);
}

function draftOf(kinds: KubevelaKinds, app: Application, name: string, hash: string, version: string) {
  const { name: appName, namespace = '', labels = {}, annotations = {} } = app.metadata;
  const { [LAST_APPLIED]: _, ...kept } = annotations;
  const metadata = {
    name,
    labels: { ...labels, [APP_NAME]: appName, [REVISION_HASH]: hash },
    annotations: { ...kept, [KUBEVELA_VERSION]: version },
    ownerReferences: [controllerReference(app)],
  };
  const types = app.spec.components.map(({ type }) => type);
  const traits = app.spec.components.flatMap((component) => (component.traits ?? []).map(({ type }) => type));
  const spec: RevisionSpec = {
    application: {
      apiVersion: app.apiVersion,
      kind: app.kind,
      metadata: { name: appName, namespace, labels, annotations: kept },
      spec: app.spec,
      status: {},
    },
    componentDefinitions: definitionsOf(kinds.componentDefinitions, namespace, types),
    traitDefinitions: definitionsOf(kinds.traitDefinitions, namespace, traits),
  };
  return { metadata, spec };
}

/** Those of the namespace take precedence over global ones. */
function definitionsOf(
  kind: KubevelaKinds['traitDefinitions'],
  namespace: string,
  names: readonly string[],
): JsonObject {
  const all = kind.resource?.store.all() ?? [];
  const found = [...new Set(names)].sort().flatMap((name) => {
    const called = all.filter(({ metadata }) => metadata.name === name);
    return called.find(({ metadata }) => metadata.namespace === namespace) ?? called[0] ?? [];
  });
  return Object.fromEntries(found.map((definition) => [definition.metadata.name, bare(definition)]));
}

function bare({ apiVersion, kind, metadata, spec = {} }: KubeObject): JsonObject {
  const { name, namespace = '' } = metadata;
  return { apiVersion, kind, metadata: { name, namespace }, spec, status: {} };
}
