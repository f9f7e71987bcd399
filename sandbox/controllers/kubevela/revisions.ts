import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { canonicalJson, deepEqual, type JsonObject, parseJson, stringifyGo } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { listOrEmptyAt, showJson } from '@/sandbox/api/objects/stored-object';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { CustomKind } from '@/sandbox/controllers/runtime/custom-kind';
import type { Resource } from '@/sandbox/controllers/runtime/resource';
import { controllerReference, isControlledBy } from '@/sandbox/controllers/objects/owner';
import { isDeleting } from '@/sandbox/controllers/objects/pod';

export type Component = {
  name: string;
  type: string;
  properties?: JsonObject;
  traits?: { type: string; properties?: JsonObject }[];
};

export type ApplicationSpec = JsonObject & {
  components: Component[];
  policies?: { name: string; type: string; properties?: JsonObject }[];
};

type LatestRevision = { name: string; revision: number; revisionHash: string };

export type WorkflowStatus = {
  appRevision: string;
  status: string;
  finished: boolean;
  startTime: string;
  endTime?: string;
  steps: JsonObject[];
};

export interface Application extends KubeObject {
  spec: ApplicationSpec;
  status: JsonObject & { latestRevision?: LatestRevision; workflow?: WorkflowStatus };
}

type RevisionSpec = JsonObject & { compression?: { type: string; data?: string } };

export interface ApplicationRevision extends KubeObject {
  spec: RevisionSpec;
  status: JsonObject;
}

/** The kinds of KubeVela that the sandbox supports. */
export interface KubevelaKinds {
  readonly applications: CustomKind<Application>;
  readonly revisions: CustomKind<ApplicationRevision>;
  readonly componentDefinitions: CustomKind<KubeObject>;
  readonly traitDefinitions: CustomKind<KubeObject>;
}

/** https://github.com/kubevela/kubevela/blob/master/pkg/oam/labels.go */
export const APP_NAME = 'app.oam.dev/name';
export const REVISION_HASH = 'app.oam.dev/app-revision-hash';
export const PUBLISH_VERSION = 'app.oam.dev/publishVersion';
const KUBEVELA_VERSION = 'oam.dev/kubevela-version';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Undefined where the annotation is missing or empty. */
export function publishVersionOf({ metadata }: Pick<KubeObject, 'metadata'>): string | undefined {
  return metadata.annotations?.[PUBLISH_VERSION] || undefined;
}

type Compression = 'gzip' | 'zstd';

/** The settings of the KubeVela installation. */
export interface Installation {
  /** In the form that revisions record. */
  readonly version: string;
  /** Of revisions that are updated. */
  readonly compression: Compression | undefined;
  /** The number of old revisions to keep. */
  readonly revisionLimit: number;
}

/**
 * Reads the arguments of KubeVela's Deployment, which its chart labels; without one the defaults of its program.
 * https://github.com/kubevela/kubevela/blob/master/charts/vela-core/templates/kubevela-controller.yaml
 */
export function installationIn(manager: ControllerManager): Installation {
  const core = manager.deployments.store
    .all()
    .find(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === 'vela-core');
  const [container] = core?.spec.template.spec.containers ?? [];
  const args = listOrEmptyAt(container, 'args').map(showJson).join(' ');
  const hasGate = (name: string) => args.includes(`${name}ApplicationRevision=true`);
  return {
    version: `v${/:v?([^:]+)$/.exec(container?.image ?? '')?.[1] ?? '1.10.9'}`,
    compression: hasGate('Zstd') ? 'zstd' : hasGate('Gzip') ? 'gzip' : undefined,
    revisionLimit: Number(/--application-revision-limit=(\d+)/.exec(args)?.[1] ?? 10),
  };
}

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
  const hash = createHash('sha1').update(canonicalJson(spec)).digest('hex').slice(0, 16);
  const isEqual = (revision: ApplicationRevision) =>
    revision.metadata.labels?.[REVISION_HASH] === hash &&
    publishVersionOf(revision) === published &&
    deepEqual(specIn(revision), spec);
  const chosen = (revision: ApplicationRevision): Chosen => {
    const { name } = revision.metadata;
    return { revision, spec, latest: { name, revision: numberOf(revision), revisionHash: hash } };
  };
  const equal = latest !== undefined && isEqual(latest) ? latest : known.find(isEqual);
  if (equal !== undefined) return chosen(equal);
  const name = `${app.metadata.name}-v${(latestRevision?.revision ?? 0) + 1}`;
  const draft = draftOf(kinds, app, name, hash, version);
  const holder = known.find(({ metadata }) => metadata.name === name);
  if (holder === undefined) return chosen(await revisions.create(app.metadata.namespace, draft));
  const { labels, annotations } = draft.metadata;
  return chosen(
    await revisions.replace({
      ...holder,
      metadata: { ...holder.metadata, labels, annotations },
      spec: compression === undefined ? draft.spec : pack(draft.spec, compression),
    }),
  );
}

/** Revisions of the Application, by number. */
function revisionsOf(revisions: Resource<ApplicationRevision>, app: Application): ApplicationRevision[] {
  return revisions.store
    .inNamespace(app.metadata.namespace)
    .filter((revision) => isControlledBy(revision, app) && !isDeleting(revision))
    .sort((a, b) => numberOf(a) - numberOf(b));
}

function numberOf({ metadata }: ApplicationRevision): number {
  return Number(/-v(\d+)$/.exec(metadata.name)?.[1] ?? 0);
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

function draftOf(kinds: KubevelaKinds, app: Application, name: string, hash: string, version: string) {
  const { apiVersion, kind, spec } = app;
  const { name: appName, namespace = '', labels = {}, annotations = {} } = app.metadata;
  const { [LAST_APPLIED]: _, ...kept } = annotations;
  const traits = spec.components.flatMap((component) => component.traits ?? []);
  const metadata = { name: appName, namespace, labels, annotations: kept };
  const recorded: RevisionSpec = {
    application: { apiVersion, kind, metadata, spec, status: {} },
    componentDefinitions: definitionsOf(kinds.componentDefinitions, namespace, spec.components),
    traitDefinitions: definitionsOf(kinds.traitDefinitions, namespace, traits),
  };
  return {
    metadata: {
      name,
      labels: { ...labels, [APP_NAME]: appName, [REVISION_HASH]: hash },
      annotations: { ...kept, [KUBEVELA_VERSION]: version },
      ownerReferences: [controllerReference(app)],
    },
    spec: recorded,
  };
}

/** The definitions of types by name; those of the namespace take precedence over global ones. */
function definitionsOf(
  definitions: CustomKind<KubeObject>,
  namespace: string,
  parts: readonly { type: string }[],
): JsonObject {
  const all = definitions.resource?.store.all() ?? [];
  const names = [...new Set(parts.map(({ type }) => type))].sort();
  const found = names.flatMap((name) => {
    const called = all.filter(({ metadata }) => metadata.name === name);
    return called.find(({ metadata }) => metadata.namespace === namespace) ?? called[0] ?? [];
  });
  return Object.fromEntries(
    found.map(({ apiVersion, kind, metadata, spec = {} }) => {
      const { name, namespace: own = '' } = metadata;
      return [name, { apiVersion, kind, metadata: { name, namespace: own }, spec, status: {} }];
    }),
  );
}

export function specIn(revision: ApplicationRevision): ApplicationSpec {
  return (unpack(revision.spec).application as { spec: ApplicationSpec }).spec;
}

/** Far above the size limit of an object in etcd. */
const BYTES_MAX = 32 * 1024 * 1024;

/**
 * A revision as KubeVela stores it: all its fields in one text, and an empty Application.
 * https://github.com/kubevela/kubevela/blob/master/apis/core.oam.dev/v1beta1/applicationrevision_types.go
 */
export function pack({ compression: _, ...fields }: RevisionSpec, type: Compression): RevisionSpec {
  const text = Buffer.from(stringifyGo(fields));
  const data = type === 'gzip' ? gzipSync(text) : zstdCompressSync(text);
  return {
    application: { metadata: {}, spec: { components: [] }, status: {} },
    compression: { type, data: data.toString('base64') },
  };
}

/** The fields, compressed or not. Throws on text that is not compressed this way. */
function unpack(spec: RevisionSpec): RevisionSpec {
  const { type = '', data = '' } = spec.compression ?? {};
  if (type === '') return spec;
  const inflate = type === 'gzip' ? gunzipSync : zstdDecompressSync;
  const bytes = inflate(Buffer.from(data, 'base64'), { maxOutputLength: BYTES_MAX });
  return parseJson(bytes.toString('utf8')) as RevisionSpec;
}
