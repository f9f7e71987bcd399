import { type History, type Revision } from '@/lib/history/revision';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type ActionKind, type Finding, type Plan } from '@/lib/workloads/plan';
import { type PodSummary } from '@/lib/workloads/pod';
import { type ResourceType } from '@/lib/workloads/resource';
import { type RollbackTarget } from '@/lib/workloads/rollback-target';
import { type WorkloadStatus } from '@/lib/workloads/status';
import { type Groups } from '@/lib/workloads/groups';
import { type HolderState, type TemplateHolder } from '@/lib/workloads/template-holder';
import { type PodTemplateOf, type TemplatePlace } from '@/lib/workloads/template-place';
import {
  type HeldObject,
  type RevisionRun,
  type RevisionSource,
  type SourceNumber,
  type Template,
  type Workload,
} from '@/lib/workloads/workload';

/** How source objects of one resource carry revisions. Shared by the kinds that use that resource. */
export interface SourceKind {
  readonly resource: ResourceType;
  /** Whether the object is one of its own, where others keep theirs in the same resource. Absent: it takes what no other claims. */
  reads?(source: KubeObject): boolean;
  /** The recorded template, or undefined when the object holds none (a foreign ControllerRevision). */
  templateOf(source: KubeObject): Template | undefined;
  numberOf(source: KubeObject): SourceNumber;
  formerNumbersOf(source: KubeObject): number[];
  /** managedFields path under which the number is written, for evidence of the last renumbering. */
  ownsNumber(fields: JsonObject): boolean;
  scaleOf(source: KubeObject): RevisionSource['scale'];
  /** The whole object that it is a copy of. Absent: such sources hold none. */
  heldBy?(source: KubeObject): HeldObject | undefined;
  /** How its rollout went. Absent: such sources keep no account of it. */
  runOf?(source: KubeObject): RevisionRun;
  /** Why what it records is no template, though its controller is of a kind that records one. Absent: it always is. */
  faultOf?(source: KubeObject): string | undefined;
}

/** Everything that is owned by the workload's uid, plus orphans that match its selector. */
export interface HistoryInput {
  workload: Workload;
  /** Controlled by the workload's uid, in no particular order. */
  sources: readonly RevisionSource[];
  /** Without a controller, same namespace, matching the selector. */
  orphans: readonly RevisionSource[];
  /** Pods controlled by the workload, by one of its sources, or by one of its parts. */
  pods: readonly PodSummary[];
  /** Workloads that a controller made as parts of this one; see {@link WorkloadKind.partOf}. Absent: none. */
  parts?: readonly Workload[];
}

/** What the cluster has told of a workload by an Event. */
export interface WorkloadEvent {
  reason: string;
  message: string;
  count: number;
  first: string | null;
  last: string | null;
}

export interface StatusInput extends HistoryInput {
  history: History;
  /** About the workload itself, as far as the cluster has kept them. Absent: none is known. */
  events?: readonly WorkloadEvent[];
  /** RFC 3339 time of the judgement; without it nothing is called stuck for having taken long. */
  now?: string;
}

/** A workload as it stands now, with what belongs to it. */
export type Standing = Pick<StatusInput, 'workload' | 'history' | 'pods' | 'parts'>;

/** What the planner of a rollback sees. Templates come with their bodies, the present one read from the API server just now. */
export interface RollbackInput {
  workload: Workload;
  /** Present template exactly as the API server returns it: `test` must match it byte for byte. */
  present: JsonObject;
  /** The object that {@link WorkloadKind.templateHolder} names; {@link present} is its template. Absent: it names none. */
  holder?: HolderState;
  history: History;
  to: RollbackTarget;
  /**
   * Template of `to`, without `$patch` and `pod-template-hash`: as its source object holds it now, or as the archive
   * does.
   */
  template: Template;
  pods: readonly PodSummary[];
  parts?: readonly Workload[];
  /** Why, in the viewer's words; may be empty. */
  reason: string;
  /** Restore the annotation map as kubectl does (Deployment). Default: only change-cause is touched. */
  likeKubectl: boolean;
  /** The rollout that moves it goes back step by step as well. Absent: at once. */
  rollsBackInSteps?: boolean;
  /** Where the partition goes in the same write, of a kind that {@link WorkloadKind.movesPartition}. Absent: it stays. */
  partition?: number;
}

export type Planned =
  { plan: Plan; findings: readonly Finding[] } | { plan: null; findings: readonly Finding[] };

export interface ControlInput {
  workload: Workload;
  present: JsonObject;
  history: History;
  pods: readonly PodSummary[];
  parts?: readonly Workload[];
  /** RFC 3339 time that a restart writes. */
  now: string;
  /** Where a move of the partition goes, in the meaning of the kind. */
  partition?: number;
  /** Pod to delete, as the viewer saw it. */
  pod?: { name: string; uid: string };
}

/**
 * A partition in the meaning of its kind. `ordinals`: pods below `value` stay where they are; `number`: so many of the
 * desired pods stay, whichever they are.
 */
export interface Partition {
  keeps: 'ordinals' | 'number';
  value: number;
  /** What it counts where that is not pods, and how many of them there are. */
  of?: { noun: string; total: number };
}

/** Who writes the revisions of a workload, for people. */
export interface ProducerWords {
  /** "Kruise UnitedDeployment"; null where Shiplog does not know. */
  name: string | null;
  /** What the numbers and the revisions mean there, and what must not be read into them: one sentence each. */
  notes: readonly string[];
}

/** A workload by name, in the namespace of whoever speaks of it. */
export interface WholeRef {
  resource: string;
  name: string;
}

/** An object beside the workload that a revision holds a copy of, and that no rollback brings back. */
export interface RecordedObject {
  /** As it is called in a sentence: "trait definition". */
  kind: string;
  name: string;
  group: string;
  version: string;
  plural: string;
  namespace: string;
  spec: JsonObject;
}

/** A part that a workload describes, and that its controller makes other workloads of. */
export interface ComponentStanding {
  name: string;
  type: string;
  /** Null where the controller does not say. */
  healthy: boolean | null;
  message: string | null;
  workloads: readonly Workload[];
}

/**
 * Everything that Shiplog knows about one kind of workload. Shared code asks and never switches on the kind;
 * a new kind is one file in `kinds/`, its tests, and one line in `table.ts`.
 */
export interface WorkloadKind {
  readonly resource: ResourceType;
  readonly source: SourceKind;
  /** Where its spec keeps what revisions record. Absent: `spec.template`, a pod template. */
  readonly template?: TemplatePlace;
  /**
   * The object that a rollback has to write, where the template of this workload stands there; null where it is its own, or
   * can't be written. Absent: always its own.
   */
  templateHolder?(workload: Workload): TemplateHolder | null;
  /**
   * Whether pods are controlled by the workload itself, by its source objects, by its parts, by whatever it owns, over
   * any number of steps, or belong to the workloads that name it as their maker.
   */
  readonly podOwner: 'workload' | 'source' | 'part' | 'descendant' | 'made';
  /** Labels and annotations of pods that it reads; the cache keeps no others. */
  readonly podMarks?: readonly string[];
  /** Reads histories by `docs/` and the upstream rules of the kind's controller. Never throws on odd input. */
  history(input: HistoryInput): History;
  status(input: StatusInput): WorkloadStatus;
  /** The strategy in words: "RollingUpdate, surge 25%, unavailable 25%". */
  strategy(workload: Workload): string;
  desiredPods(workload: Workload): number;
  /** Whether updates of the template wait until somebody resumes them. */
  isPaused(workload: Workload): boolean;
  /** What keeps a part of the pods from the target; null for a kind that has no such thing. */
  partition(workload: Workload): Partition | null;
  /** Whether the controller has seen the present spec. Absent: its observed generation says so. */
  isObserved?(standing: Standing): boolean;
  /** The change-cause of the target, where revisions carry none; null where it can't be told now. Absent: they carry it. */
  targetCause?(standing: Standing): string | null;
  /** How many pods more than desired may run at once. Absent: by the update strategy that the kinds of Kubernetes have. */
  surgePods?(workload: Workload): number;
  /** Its pods by the groups that live and die together. Absent: each pod is for itself. */
  groups?(standing: Standing): Groups;
  /** Which of the groups a pod is in, and its place there: 0 leads. Null: it is in none. Absent: there are no groups. */
  groupOfPod?(pod: PodSummary): { index: number; member: number } | null;
  /**
   * When a pod that was updated in place got this revision; null where it says nothing of it. Absent: pods are replaced.
   */
  arrivedAt?(pod: PodSummary, revision: Revision): string | null;
  /** Which of several pod templates a pod comes from. Absent: there is only one. */
  readonly podTemplateOf?: PodTemplateOf;
  /**
   * The workload that this one is a part of, made and written by a controller. Such a part is never listed by itself.
   * Absent: the kind has none.
   */
  partOf?(workload: Workload): WholeRef | null;
  /**
   * The workload of this kind that a pod names: while it ends, the part that controlled it may be gone before it. Absent:
   * pods are found by their controllers alone.
   */
  wholeOfPod?(pod: PodSummary): WholeRef | null;
  /**
   * The workload of this kind that another one says it was made for. That stays a workload of its own, and is among the
   * parts of its maker. Absent: nothing says so.
   */
  makerOf?(made: Workload): WholeRef | null;
  /** What it describes, and what became of it. Absent: it makes pods, and nothing between. */
  components?(standing: Pick<Standing, 'workload' | 'parts'>): readonly ComponentStanding[];
  /** What a revision holds copies of, to be compared with what is there. Absent: nothing. */
  recordedObjects?(template: Template): readonly RecordedObject[];
  /** What is odd between the present template and that of the target, one sentence each. Absent: nothing is. */
  oddities?(workload: Workload, present: Template, target: Template): readonly string[];
  /** A revision that is asked for again keeps its number. Absent: it gets the highest. */
  readonly keepsNumbers?: true;
  /** A rollback may move the partition in the same write. Absent: it can't. */
  readonly movesPartition?: true;
  /**
   * As much of the present template as `recorded` speaks of, for a comparison of the two. Absent: revisions record all of
   * it.
   */
  presentFor?(present: Template, recorded: Template): Template;
  /** Absent: the kind's own pages say what its revisions are. */
  producer?(standing: Pick<Standing, 'workload' | 'history'>): ProducerWords;
  /** What the source object of a revision says of it beside its template: a few words each. Absent: nothing. */
  notesOn?(source: RevisionSource): readonly string[];
  /** False: its status does not tell when a rollout is over, so an action is done once it is written and seen. */
  readonly tellsEnd?: false;
  /** Why it can be rolled back to no revision at all. Absent, or none: it depends on the revision. */
  refusesRollback?(workload: Workload): readonly Finding[];
  /** Plans the return to `to`. A refusal among the findings means that `plan` is null. */
  planRollback(input: RollbackInput): Planned;
  /** The other actions that this kind has. */
  readonly controls: Readonly<
    Partial<Record<Exclude<ActionKind, 'rollback'>, (input: ControlInput) => Planned>>
  >;
  /** The revision that `kubectl rollout undo` without a number would choose; null when there is none. */
  previous(history: History): Revision | null;
}
