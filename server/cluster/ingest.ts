import 'server-only';
import { semanticIdOf } from '@/server/shared/semantic-id';
import { hash } from 'node:crypto';
import type { RestartFacts } from '@/lib/history/restart';
import { boundedCanonicalJson, canonicalJson } from '@/lib/kube/json';
import { controllerOf, type KubeObject } from '@/lib/kube/object';
import { isPackedBody, TOO_DEEP_TYPE, packedBody } from '@/lib/kube/packed-body';
import { writtenAt } from '@/lib/rollout/bounded';
import type { SourceKind, WorkloadKind } from '@/lib/workloads/kind';
import { findReader } from '@/lib/workloads/source-readers';
import {
  cleanTemplate,
  imagesOf,
  restartedAtOf,
  templateCauseOf,
  withoutRestart,
  fieldWritesOf,
  isClaimed,
} from '@/lib/workloads/template-facts';
import { specWithoutTemplate, templateOfObject } from '@/lib/workloads/template-location';
import type {
  ContainerImage,
  RevisionSource,
  Template,
  TemplateFacts,
  Workload,
} from '@/lib/history/workload';
import { BodyStore } from '@/server/cluster/body-store';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const CHANGE_CAUSE = 'kubernetes.io/change-cause';
/** https://kubernetes.io/docs/concepts/architecture/garbage-collection/#orphaned-dependents */
const ORPHAN = 'orphan';
const DEPLOYMENT_PREFIX = 'deployment.kubernetes.io/';

/** Semantic hashes by body hash. Computed on first use: most bodies are never compared. */
export class SemanticIds {
  readonly #ids = new Map<string, string>();
  readonly #restartFreeIds = new Map<string, string>();
  /** Of bodies that are stored as they came, because their images can only be read after decompression. */
  readonly #images = new Map<string, readonly ContainerImage[]>();
  readonly #bodies: Pick<BodyStore, 'read' | 'has'>;

  constructor(bodies: Pick<BodyStore, 'read' | 'has'>) {
    this.#bodies = bodies;
  }

  of(bodyId: string): string {
    return this.#hashOnce(this.#ids, bodyId, (template) => template);
  }

  /** Of the template without the restart annotation: equal ones differ by restarts alone. */
  restartFree(bodyId: string): string {
    return this.#hashOnce(this.#restartFreeIds, bodyId, withoutRestart);
  }

  images(bodyId: string): readonly ContainerImage[] {
    const cached = this.#images.get(bodyId);
    if (cached !== undefined) return cached;
    const images = imagesOf(this.#bodies.read(bodyId) ?? {});
    if (this.#bodies.has(bodyId)) this.#images.set(bodyId, images);
    return images;
  }

  forget(bodyId: string): void {
    this.#images.delete(bodyId);
    this.#ids.delete(bodyId);
    this.#restartFreeIds.delete(bodyId);
  }

  #hashOnce(known: Map<string, string>, bodyId: string, change: (template: Template) => Template): string {
    const cached = known.get(bodyId);
    if (cached !== undefined) return cached;
    const template = this.#bodies.read(bodyId);
    if (template === undefined) return bodyId;
    const id = semanticIdOf(change(template));
    known.set(bodyId, id);
    return id;
  }
}

/** Template facts whose semantic hash is computed on first use, and of a packed template the images as well. */
class LazyTemplateFacts implements TemplateFacts, RestartFacts {
  readonly bodyId: string;
  readonly #images: readonly ContainerImage[] | undefined;
  readonly restartedAt: string | null;
  readonly templateCause: string | null;
  readonly #semantic: SemanticIds;

  constructor(bodyId: string, template: Template, { semantic, annotationCharsMax }: IngestContext) {
    this.bodyId = bodyId;
    this.#images = isPackedBody(template) ? undefined : imagesOf(template);
    this.restartedAt = restartedAtOf(template);
    this.templateCause = truncate(templateCauseOf(template), annotationCharsMax);
    this.#semantic = semantic;
  }

  get images(): readonly ContainerImage[] {
    return this.#images ?? this.#semantic.images(this.bodyId);
  }

  get semanticId(): string {
    return this.#semantic.of(this.bodyId);
  }

  get restartFreeId(): string {
    return this.#semantic.restartFree(this.bodyId);
  }
}

export interface IngestContext {
  bodies: BodyStore;
  semantic: SemanticIds;
  /**
   * Longer annotation values are left out of the cache, causes are cut. Absent: all are complete, since a
   * write needs them.
   */
  annotationCharsMax?: number;
}

/** Stores of their own: an object that is read for one request must not retain a body in the cache. */
export function temporaryContext(): IngestContext {
  const bodies = new BodyStore();
  return { bodies, semantic: new SemanticIds(bodies) };
}

/** Everything of a workload but the body of its template, which the body store holds (one hold). */
export function ingestWorkload(
  kind: Pick<WorkloadKind, 'resource' | 'template'>,
  object: KubeObject,
  context: IngestContext,
): Workload {
  const { metadata } = object;
  const annotations = metadata.annotations ?? {};
  return Object.assign(storeTemplate(templateOfObject(kind, object) ?? {}, context), {
    resource: kind.resource.id,
    version: object.apiVersion.slice(object.apiVersion.lastIndexOf('/') + 1),
    uid: metadata.uid,
    namespace: metadata.namespace ?? '-',
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation ?? 0,
    createdAt: metadata.creationTimestamp,
    deletedAt: metadata.deletionTimestamp ?? null,
    leavesDependents: metadata.finalizers?.includes(ORPHAN),
    labels: metadata.labels ?? {},
    annotations: selectAnnotations(annotations, context, (key) => key !== LAST_APPLIED),
    hasLastApplied: LAST_APPLIED in annotations,
    owners: metadata.ownerReferences ?? [],
    writes: fieldWritesOf(metadata.managedFields ?? [], () => false, kind.template?.location.isWritten),
    editedAt: writtenAt(object, 'spec'),
    spec: specWithoutTemplate(kind, object),
    status: object.status ?? {},
  });
}

/** Throws when the object has no template: such an object is no revision. */
export function ingestSource(kind: SourceKind, object: KubeObject, context: IngestContext): RevisionSource {
  const template = kind.templateOf(object);
  if (template === undefined) throw new Error(`${object.metadata.name} has no pod template`);
  const { metadata } = object;
  const annotations = metadata.annotations ?? {};
  const controller = controllerOf(metadata.ownerReferences);
  return Object.assign(storeTemplate(cleanTemplate(template), context), {
    resource: kind.resource.id,
    uid: metadata.uid,
    namespace: metadata.namespace ?? '-',
    name: metadata.name,
    controllerUid: controller?.uid ?? null,
    controllerKind: controller?.kind ?? null,
    controllerName: controller?.name ?? null,
    controllerApiVersion: controller?.apiVersion ?? null,
    ...contentsOf(kind, object),
    ...faultOf(kind, object),
    labels: metadata.labels ?? {},
    number: kind.numberOf(object),
    formerNumbers: kind.formerNumbersOf(object),
    changeCause: truncate(annotations[CHANGE_CAUSE] ?? null, context.annotationCharsMax),
    annotations: selectAnnotations(
      annotations,
      context,
      (key) => key !== LAST_APPLIED && key !== CHANGE_CAUSE && !key.startsWith(DEPLOYMENT_PREFIX),
    ),
    createdAt: metadata.creationTimestamp,
    deletedAt: metadata.deletionTimestamp ?? null,
    ...(isClaimed(metadata.managedFields ?? []) && { claimed: true as const }),
    writes: fieldWritesOf(metadata.managedFields ?? [], (fields) => kind.ownsNumber(fields)),
    scale: kind.scaleOf(object),
  });
}

/** Most have none, and need no room for it. */
function contentsOf(kind: SourceKind, object: KubeObject): Pick<RevisionSource, 'embeddedObject' | 'run'> {
  const [holds, run] = [kind.embeddedObjectIn?.(object), kind.runOf?.(object)];
  return { ...(holds && { embeddedObject: holds }), ...(run && { run }) };
}

function faultOf(kind: SourceKind, object: KubeObject): Pick<RevisionSource, 'fault'> {
  const fault = kind.faultOf?.(object);
  return fault === undefined ? {} : { fault };
}

/** The same by whichever of several kinds reads the object. */
export function ingestAnySource(
  sources: readonly SourceKind[],
  object: KubeObject,
  context: IngestContext,
): RevisionSource {
  const source = findReader(sources, object);
  if (source === undefined) throw new Error(`no reader for ${object.metadata.name}`);
  return ingestSource(source, object, context);
}

/** Of a template that no store holds. */
export function factsOf(template: Template): TemplateFacts {
  const bodies = new BodyStore();
  return storeTemplate(template, { bodies, semantic: new SemanticIds(bodies) });
}

function storeTemplate(given: Template, context: IngestContext): LazyTemplateFacts {
  const bounded = boundedCanonicalJson(given);
  const template = bounded === undefined ? packTooDeep(given) : given;
  const text = bounded ?? canonicalJson(template);
  const bodyId = hash('sha256', text, 'base64url');
  context.bodies.acquire(bodyId, () => text);
  return new LazyTemplateFacts(bodyId, template, context);
}

/** No existing object may disappear, and code that walks templates must terminate. */
function packTooDeep(template: Template): Template {
  return packedBody(TOO_DEEP_TYPE, hash('sha256', canonicalJson(template), 'base64url'));
}

/** A change cause is repeated in every row of every list. */
function truncate(text: string | null, charsMax = Infinity): string | null {
  return text === null || text.length <= charsMax ? text : `${text.slice(0, charsMax)}…`;
}

function selectAnnotations(
  annotations: Record<string, string>,
  { annotationCharsMax = Infinity }: IngestContext,
  isSelected: (key: string) => boolean,
): Record<string, string> {
  const selected: Record<string, string> = {};
  for (const [key, value] of Object.entries(annotations)) {
    if (isSelected(key) && value.length <= annotationCharsMax) selected[key] = value;
  }
  return selected;
}
