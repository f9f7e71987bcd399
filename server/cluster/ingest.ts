import 'server-only';
import { hash } from 'node:crypto';
import { semanticText } from '@/lib/diff/normalise';
import { type RestartFacts } from '@/lib/history/restart';
import { canonicalJson, isDeeper } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { isPackedBody, NESTED, packedBody } from '@/lib/kube/packed-body';
import { writtenAt } from '@/lib/rollout/bounded';
import { type SourceKind, type WorkloadKind } from '@/lib/workloads/kind';
import { readerOf } from '@/lib/workloads/source-readers';
import {
  cleanTemplate,
  imagesOf,
  restartedAtOf,
  templateCauseOf,
  withoutRestart,
  writeMarksOf,
} from '@/lib/workloads/summarise';
import { specBesideTemplate, templateOfObject } from '@/lib/workloads/template-place';
import {
  type ContainerImage,
  type RevisionSource,
  type Template,
  type TemplateFacts,
  type Workload,
} from '@/lib/workloads/workload';
import { BodyStore } from '@/server/cluster/body-store';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const CHANGE_CAUSE = 'kubernetes.io/change-cause';
const BOOKKEEPING = 'deployment.kubernetes.io/';

/** Semantic hashes by body hash. Computed on first use: most bodies are never compared. */
export class SemanticIds {
  readonly #ids = new Map<string, string>();
  readonly #restartFreeIds = new Map<string, string>();
  /** Of bodies that are kept as they came, since whoever reads their images must decompress them. */
  readonly #images = new Map<string, readonly ContainerImage[]>();
  readonly #bodies: Pick<BodyStore, 'read' | 'has'>;

  constructor(bodies: Pick<BodyStore, 'read' | 'has'>) {
    this.#bodies = bodies;
  }

  of(bodyId: string): string {
    return this.#hashOnce(this.#ids, bodyId, (template) => template);
  }

  /** Of the template without the mark of a restart: equal ones differ by restarts alone. */
  restartFree(bodyId: string): string {
    return this.#hashOnce(this.#restartFreeIds, bodyId, withoutRestart);
  }

  images(bodyId: string): readonly ContainerImage[] {
    const before = this.#images.get(bodyId);
    if (before !== undefined) return before;
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
    const before = known.get(bodyId);
    if (before !== undefined) return before;
    const template = this.#bodies.read(bodyId);
    if (template === undefined) return bodyId;
    const id = semanticIdOf(change(template));
    known.set(bodyId, id);
    return id;
  }
}

/** Equal ones mean semantically equal templates: {@link TemplateFacts.semanticId}. */
export function semanticIdOf(template: Template): string {
  return hash('sha256', semanticText(template), 'base64url');
}

/** Template facts whose semantic hash is computed on first use, and of a packed template the images as well. */
class Facts implements TemplateFacts, RestartFacts {
  readonly bodyId: string;
  readonly #images: readonly ContainerImage[] | undefined;
  readonly restartedAt: string | null;
  readonly templateCause: string | null;
  readonly #semantic: SemanticIds;

  constructor(bodyId: string, template: Template, { semantic, annotationCharsMax }: IngestContext) {
    this.bodyId = bodyId;
    this.#images = isPackedBody(template) ? undefined : imagesOf(template);
    this.restartedAt = restartedAtOf(template);
    this.templateCause = cut(templateCauseOf(template), annotationCharsMax);
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
  /** Longer annotation values are left out of the cache, causes cut. Absent: none is, since a write needs them all. */
  annotationCharsMax?: number;
}

/** Everything of a workload but the body of its template, which goes to the body store (one hold). */
export function ingestWorkload(
  kind: Pick<WorkloadKind, 'resource' | 'template'>,
  object: KubeObject,
  context: IngestContext,
): Workload {
  const { metadata } = object;
  const annotations = metadata.annotations ?? {};
  return Object.assign(holdTemplate(templateOfObject(kind, object) ?? {}, context), {
    resource: kind.resource.id,
    version: object.apiVersion.slice(object.apiVersion.lastIndexOf('/') + 1),
    uid: metadata.uid,
    namespace: metadata.namespace ?? '-',
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation ?? 0,
    createdAt: metadata.creationTimestamp,
    deletedAt: metadata.deletionTimestamp ?? null,
    labels: metadata.labels ?? {},
    annotations: keepAnnotations(annotations, context, (key) => key !== LAST_APPLIED),
    hasLastApplied: LAST_APPLIED in annotations,
    owners: metadata.ownerReferences ?? [],
    writes: writeMarksOf(metadata.managedFields ?? [], () => false, kind.template?.isWritten),
    editedAt: writtenAt(object, 'spec'),
    spec: specBesideTemplate(kind, object),
    status: object.status ?? {},
  });
}

/** Throws when the object carries no template: such an object is no revision. */
export function ingestSource(kind: SourceKind, object: KubeObject, context: IngestContext): RevisionSource {
  const template = kind.templateOf(object);
  if (template === undefined) throw new Error(`${object.metadata.name} holds no pod template`);
  const { metadata } = object;
  const annotations = metadata.annotations ?? {};
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  return Object.assign(holdTemplate(cleanTemplate(template), context), {
    resource: kind.resource.id,
    uid: metadata.uid,
    namespace: metadata.namespace ?? '-',
    name: metadata.name,
    controllerUid: controller?.uid ?? null,
    controllerKind: controller?.kind ?? null,
    controllerName: controller?.name ?? null,
    controllerApiVersion: controller?.apiVersion ?? null,
    ...heldIn(kind, object),
    ...faultIn(kind, object),
    labels: metadata.labels ?? {},
    number: kind.numberOf(object),
    formerNumbers: kind.formerNumbersOf(object),
    changeCause: cut(annotations[CHANGE_CAUSE] ?? null, context.annotationCharsMax),
    annotations: keepAnnotations(
      annotations,
      context,
      (key) => key !== LAST_APPLIED && key !== CHANGE_CAUSE && !key.startsWith(BOOKKEEPING),
    ),
    createdAt: metadata.creationTimestamp,
    deletedAt: metadata.deletionTimestamp ?? null,
    writes: writeMarksOf(metadata.managedFields ?? [], (fields) => kind.ownsNumber(fields)),
    scale: kind.scaleOf(object),
  });
}

/** Most hold none, and need no room for it. */
function heldIn(kind: SourceKind, object: KubeObject): Pick<RevisionSource, 'holds' | 'run'> {
  const [holds, run] = [kind.heldBy?.(object), kind.runOf?.(object)];
  return { ...(holds && { holds }), ...(run && { run }) };
}

function faultIn(kind: SourceKind, object: KubeObject): Pick<RevisionSource, 'fault'> {
  const fault = kind.faultOf?.(object);
  return fault === undefined ? {} : { fault };
}

/** The same by whichever of several kinds reads the object. */
export function ingestAnySource(
  sources: readonly SourceKind[],
  object: KubeObject,
  context: IngestContext,
): RevisionSource {
  const source = readerOf(sources, object);
  if (source === undefined) throw new Error(`nobody reads ${object.metadata.name}`);
  return ingestSource(source, object, context);
}

/** Of a template that is kept nowhere. */
export function factsOf(template: Template): TemplateFacts {
  const bodies = new BodyStore();
  return holdTemplate(template, { bodies, semantic: new SemanticIds(bodies) });
}

function holdTemplate(given: Template, context: IngestContext): Facts {
  const template = isDeeper(given) ? tooDeep(given) : given;
  const text = canonicalJson(template);
  const bodyId = hash('sha256', text, 'base64url');
  context.bodies.hold(bodyId, () => text);
  return new Facts(bodyId, template, context);
}

/** Nothing that is there may disappear, and what walks templates must come to an end. */
function tooDeep(template: Template): Template {
  return packedBody(NESTED, hash('sha256', canonicalJson(template), 'base64url'));
}

/** A cause stands in every row of every list. */
function cut(text: string | null, charsMax = Infinity): string | null {
  return text === null || text.length <= charsMax ? text : `${text.slice(0, charsMax)}…`;
}

function keepAnnotations(
  annotations: Record<string, string>,
  { annotationCharsMax = Infinity }: IngestContext,
  keep: (key: string) => boolean,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [key, value] of Object.entries(annotations)) {
    if (keep(key) && value.length <= annotationCharsMax) kept[key] = value;
  }
  return kept;
}
