import type { z } from 'zod';
import type { EventItem, PodItem } from '@/lib/api/pods';
import type { componentSchema, ProducerDescription, WorkloadDetail } from '@/lib/api/workloads';
import type { Immutable } from '@/lib/immutable';
import type { RevisionHistory, Revision } from '@/lib/history/revision';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { Finding, Plan } from '@/lib/workloads/plan';
import type { PodSummary } from '@/lib/history/pod';
import type { ResourceType } from '@/lib/kube/resource';
import type { RollbackTarget } from '@/lib/workloads/rollback-target';
import type { WorkloadFacts } from '@/lib/engine/facts';
import type { Groups } from '@/lib/workloads/groups';
import type { TemplateOwnerReading, TemplateOwner } from '@/lib/workloads/template-owner';
import type { TemplateLocation } from '@/lib/workloads/template-location';
import type {
  EmbeddedObject,
  RevisionRun,
  RevisionSource,
  SourceNumber,
  Template,
  Workload,
} from '@/lib/history/workload';

/** How source objects of one resource carry revisions. Shared by the kinds that use that resource. */
export interface SourceKind {
  readonly resource: ResourceType;
  /**
   * Whether this source kind claims the object, where several share a resource. Absent: it reads what no other
   * claims.
   */
  matches?(source: KubeObject): boolean;
  /** The recorded template, or undefined when the object holds none (a foreign ControllerRevision). */
  templateOf(source: KubeObject): Template | undefined;
  numberOf(source: KubeObject): SourceNumber;
  formerNumbersOf(source: KubeObject): number[];
  /** managedFields path under which the number is written, for evidence of the last renumbering. */
  ownsNumber(fields: JsonObject): boolean;
  scaleOf(source: KubeObject): RevisionSource['scale'];
  /** The embedded object that it is a copy of. Absent: such sources hold none. */
  embeddedObjectIn?(source: KubeObject): EmbeddedObject | undefined;
  /** The outcome of its rollout. Absent: such sources do not record it. */
  runOf?(source: KubeObject): RevisionRun;
  /**
   * Why its content is no template, though its controller is of a kind that records one. Absent: it always is.
   */
  faultOf?(source: KubeObject): string | undefined;
}

/** Everything that is owned by the workload's uid, plus orphans that match its selector. */
export interface HistoryInput {
  workload: Workload;
  /** Controlled by the workload's uid, in no particular order. */
  sources: readonly RevisionSource[];
  /** Without a controller, same namespace, matching the selector. */
  orphans: readonly RevisionSource[];
  /** Pods controlled by the workload, by one of its sources, or by one of its children. */
  pods: readonly PodSummary[];
  /**
   * Workloads that a controller created as children of this one; see {@link WorkloadKind.parentOf}. Absent:
   * none.
   */
  children?: readonly Workload[];
}

export interface StatusInput extends HistoryInput {
  history: RevisionHistory;
  /** About the workload itself, as long as the cluster retains them. Absent: none is known. */
  events?: readonly Pick<EventItem, 'reason' | 'message' | 'count' | 'first' | 'last'>[];
  /** RFC 3339 time of the evaluation; without it nothing is reported as stuck for its duration. */
  now?: string | undefined;
}

/** Whether its own controller makes its pods, so that no pod runs while it is scaled to zero. */
export function ownsPods({ pods }: Pick<WorkloadKind, 'pods'>): boolean {
  return pods.owner !== 'descendant' && pods.owner !== 'generated';
}

/** A workload in its current state, with its related objects. */
export type WorkloadWithHistory = Pick<StatusInput, 'workload' | 'history' | 'pods' | 'children'>;

/** The current state that a write is planned from. Templates have their bodies. */
export interface WriteFacts extends WorkloadWithHistory {
  /** Current template exactly as the API server returns it: `test` must match it byte for byte. */
  currentTemplate: JsonObject;
}

/** What the planner of a rollback knows. */
export interface RollbackInput extends WriteFacts {
  /**
   * The object that {@link RecordedTemplate.owner} names; {@link currentTemplate} is its template. Absent:
   * it names none.
   */
  templateOwner?: TemplateOwnerReading;
  to: RollbackTarget;
  /**
   * Template of `to`, without `$patch` and `pod-template-hash`: as its source object has it now, or as the
   * archive does; where admission alters that, what will be stored.
   */
  template: Template;
  /** The template to write, where admission makes `template` of it. Absent: `template`. */
  requested?: Template;
  /** The viewer's reason; may be empty. */
  reason: string;
  /** Restore the annotation map as kubectl does (Deployment). Default: only change-cause is touched. */
  likeKubectl: boolean;
  /** The rollout that moves it rolls back step by step as well. Absent: at once. */
  rollsBackInSteps?: boolean | undefined;
  /** Pods that should have ended, and for whose end the controller waits. Absent: none is known. */
  latePods?: readonly PodSummary[];
  /** New partition in the same write, for a kind with {@link WorkloadWrites.movesPartition}. Absent: it stays. */
  partition?: number | undefined;
}

export type PlanResult =
  { plan: Plan; findings: readonly Finding[] } | { plan: null; findings: readonly Finding[] };

export interface ControlInput extends WriteFacts {
  /** RFC 3339 time that a restart writes. */
  now: string;
  /** New partition, in the meaning of the kind. */
  partition?: number;
  /** Pod to delete, as the viewer saw it. */
  pod?: { name: string; uid: string };
}

type PlanControl = (input: ControlInput) => PlanResult;

/**
 * What can be done to a workload: each action takes facts and a request and plans the write, with its preconditions. With
 * a refusal among the findings the plan is null.
 */
interface WorkloadWrites {
  /** The rollback to `to`. */
  readonly rollback: (input: RollbackInput) => PlanResult;
  readonly pause?: PlanControl;
  readonly resume?: PlanControl;
  readonly restart?: PlanControl;
  readonly partition?: PlanControl;
  readonly deletePod?: PlanControl;
  /** A rollback may move the partition in the same write. Absent: it can't. */
  readonly movesPartition?: true;
  /** Why no rollback is possible to any revision. Absent, or none: it depends on the revision. */
  refusesRollback?(workload: Workload): readonly Finding[];
  /**
   * Whether the controller has acted on the write; {@link WorkloadFacts.isObserved} says only whether it has read the
   * last edit. Absent: once it has observed the generation of the write.
   */
  isObserved?(input: WorkloadWithHistory): boolean;
}

/** What revisions record of a workload. */
interface RecordedTemplate {
  readonly location: TemplateLocation;
  /**
   * The object that a rollback has to write, where it holds the template of this workload; null where the
   * workload holds it itself, or where it can't be written. Absent: always the workload itself.
   */
  owner?(workload: Workload): TemplateOwner | null;
  /** The pod template that a pod was created from, of several in a recorded template. Absent: there is only one. */
  podTemplateOf?(template: Template, pod: KubeObject): JsonObject;
  /** The fields of the current template that `recorded` has, to compare the two. Absent: revisions record all of it. */
  comparable?(current: Template, recorded: Template): Template;
  /** What is unusual between the current template and that of the target, one sentence each. Absent: nothing is. */
  notes?(workload: Workload, current: Template, target: Template): readonly string[];
  /** Embedded objects of a revision, to compare with those in the cluster. Absent: none. */
  embeddedObjects?(template: Template): readonly RecordedObject[];
}

/** How pods belong to a workload, and what they say of it. */
interface PodOwnership {
  /**
   * Whether pods are controlled by the workload itself, by its source objects, by its children, by anything
   * that it owns, over any number of levels, or belong to the workloads that name it as their generator.
   */
  readonly owner: 'workload' | 'source' | 'child' | 'descendant' | 'generated';
  /** Labels and annotations of pods that it reads; the cache drops all others. */
  readonly metadataKeys?: readonly string[];
  /**
   * The parent of this kind that a pod names: while it ends, the child that controlled it may already be
   * deleted. Absent: pods are found by their controllers alone.
   */
  readonly parentOf?: (pod: PodSummary) => ParentRef | null;
  /**
   * When a pod that was updated in place got this revision; null where it does not report that. Absent: pods
   * are replaced.
   */
  readonly revisionAppliedAt?: (pod: PodSummary, revision: Revision) => string | null;
}

/** Pods that are replaced together. */
interface PodGroups {
  read(input: WorkloadWithHistory): Groups;
  /** The group of a pod, and its index there: 0 leads. Null: it is in none. */
  ofPod(pod: PodSummary): NonNullable<PodItem['group']> | null;
}

/** Of a kind whose workloads describe others, which stay workloads of their own. */
interface Generator {
  /** The generator that another workload names; that workload is also among its children. */
  of(generated: Workload): ParentRef | null;
  /** What it describes, and what was created from it. */
  components(input: Pick<WorkloadWithHistory, 'workload' | 'children'>): readonly ComponentState[];
}

/** Where revisions differ from those of the Kubernetes kinds. */
interface RevisionTraits {
  /** A revision that becomes the target again keeps its number. Absent: it gets the highest. */
  readonly keepsNumbers?: true;
  /** The change cause of the target, where revisions carry none; null while it is unknown. Absent: they carry it. */
  targetChangeCause?(input: WorkloadWithHistory): string | null;
  /** What the source object of a revision reports apart from its template: a short phrase each. Absent: nothing. */
  notes?(source: RevisionSource): readonly string[];
}

/** How many pods are to run, and how updates reach them. */
export interface WorkloadSettings {
  desiredPods: number;
  /** How many pods more than desired may run at once. Absent: none. */
  surgePods?: number;
  /** Whether updates of the template wait until a person resumes them. Absent: no. */
  isPaused?: boolean;
  /** What holds some of the pods on an older revision. Absent: the kind has no partition. */
  partition?: Partition;
  /** The strategy as text: "RollingUpdate, surge 25%, unavailable 25%". */
  strategy: string;
}

/**
 * A partition in the meaning of its kind. `ordinals`: pods below `value` stay on their revision; `number`: so
 * many of the desired pods stay, no matter which.
 */
interface Partition {
  keeps: NonNullable<WorkloadDetail['workload']['partitionKeeps']>;
  value: number;
  /** As it is written, where that is a share of the pods: `60%`. */
  percent?: string;
  /** What it counts where that is not pods, and their number. */
  of?: WorkloadDetail['workload']['partitionOf'];
}

/** A workload by name, in the namespace of the object that names it. */
export interface ParentRef {
  resource: string;
  name: string;
}

/** An object apart from the workload that a revision holds a copy of, and that no rollback restores. */
export interface RecordedObject {
  /** Its name in a sentence: "trait definition". */
  kind: string;
  name: string;
  group: string;
  version: string;
  plural: string;
  namespace: string;
  spec: JsonObject;
}

/** A component that a workload describes, with the workloads that its controller created from it. */
export interface ComponentState extends Immutable<z.infer<typeof componentSchema>> {
  workloads: readonly Workload[];
}

/**
 * Everything that Shiplog knows about one kind of workload. Shared code asks the kind and never switches on
 * it; a new kind is one file in `kinds/`, its tests, and one line in `table.ts`.
 */
export interface WorkloadKind {
  readonly resource: ResourceType;
  readonly source: SourceKind;
  /** Absent: revisions record `spec.template`, a pod template. */
  readonly template?: RecordedTemplate;
  readonly pods: PodOwnership;
  /** Builds histories by `docs/` and the upstream rules of the kind's controller. Never throws on malformed input. */
  history(input: HistoryInput): RevisionHistory;
  /** What it knows of the workload now; `lib/engine` decides what that means. */
  facts(input: StatusInput): WorkloadFacts;
  settings(workload: Workload): WorkloadSettings;
  /** Absent: each pod is replaced by itself. */
  readonly groups?: PodGroups;
  /**
   * The parent of this workload, where a controller created and writes it as a child. A child is never listed
   * by itself. Absent: the kind has none.
   */
  parentOf?(workload: Workload): ParentRef | null;
  /** Absent: it generates no other workloads. */
  readonly generator?: Generator;
  readonly revisions?: RevisionTraits;
  /**
   * Who writes the revisions, for a kind whose controller Shiplog does not know: its status does not show when a rollout
   * completes, so an action completes once it is written and observed. Absent: Shiplog knows the controller.
   */
  producer?(input: Pick<WorkloadWithHistory, 'workload' | 'history'>): ProducerDescription;
  readonly writes: WorkloadWrites;
  /** The default target of `kubectl rollout undo`; null when there is none. */
  previous(history: RevisionHistory): Revision | null;
}
