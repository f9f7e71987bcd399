import { type ChangeKind, type Concern, type ContainerKind } from '@/lib/api/diff-values';
import { type Json } from '@/lib/kube/json';
import { type Masked } from '@/lib/masked';

/** A risk of a change. */
export interface Risk {
  /** Stable, for scripts: `memory_limit_lowered`, `privileged`, … */
  code: string;
  /** As text, short enough for a tag. */
  reason: string;
}

/** One difference between two pod templates that a person would call one change. */
export interface Change {
  /** For display: `spec.containers[app].env[LOG_LEVEL].value`. */
  path: string;
  /**
   * The place: member names, and positions in the normalized template before. The
   * last one of an added list entry is its position in the list after.
   */
  pointer: readonly (string | number)[];
  /** An enclosing object that is removed: the length of its pointer. Null while it stays. */
  vanishes: number | null;
  /** Identifies the place, the same in every diff: for comparing diffs with each other. */
  place: string;
  /** Of a move: the order of the entries that both lists have, on either side; one object per list. */
  order: { before: readonly string[]; after: readonly string[] } | null;
  kind: ChangeKind;
  /** Normalized values; undefined where there is none. Of a move: the positions in the list, from 0. */
  before: Json | undefined;
  after: Json | undefined;
  concern: Concern;
  /** Name of the container, or of the part of an Application, that the change belongs to; null for the pod itself. */
  container: string | null;
  containerKind: ContainerKind | null;
  /** Short name: `image`, `env LOG_LEVEL`, `memory limit`, `readiness path`, `volume flags`, `init wait-db`. */
  label: string;
  /**
   * The displayed value: `512Mi`, `GET /healthz every 10 s, fails after 3`, `2nd of 2`. Null where there is
   * none.
   */
  beforeText: string | null;
  afterText: string | null;
  /** Additional notes, as text. */
  note: string | null;
  /**
   * Whether it replaces pods. True for every change between two templates: controllers compare the complete
   * template, so no field of it is exempt, not even an annotation or the order of a list. False for what only
   * a running pod has, since no controller replaces a pod for it.
   */
  restarts: boolean;
  risk: Risk | null;
}

/** A difference without meaning: normalization removes it. */
export interface Noise {
  path: string;
  before: Json | undefined;
  after: Json | undefined;
  /** As text: `cpu 0.5 = 500m`, `default imagePullPolicy`. */
  reason: string;
}

/** Always of masked templates, so that it may be shown. */
export interface TemplateDiff<Text extends string = Masked<string>> {
  /** The Deployment controller's verdict: equal except for defaults and spellings; list order counts. */
  equal: boolean;
  /** The verdict of StatefulSet and DaemonSet on the stored bytes; `$patch` and the hash label never count. */
  rawEqual: boolean;
  /** Fragment of a sentence: `image 1.4.1 → 1.4.2; env LOG_LEVEL removed; 3 more`, `restart only`, `no change`. */
  summary: Text;
  /** Container by container, then the pod; within each by concern. Empty exactly when `equal` or `tooLarge`. */
  changes: Change[];
  /** Number of changes where they are too many to describe; null else. */
  tooLarge: number | null;
  /** Nothing differs but the time of the last `kubectl rollout restart`. */
  restartOnly: boolean;
  noise: Noise[];
  /** Why the two verdicts disagree; null when they agree. */
  explanation: string | null;
}
