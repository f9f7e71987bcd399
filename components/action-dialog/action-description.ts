import type { UseQueryResult } from '@tanstack/react-query';
import type { ActionRequest } from '@/components/queries/action-request';
import type { WorkloadRef } from '@/components/queries/workload-ref';
import type { GlyphName } from '@/components/ui/glyph';
import type { ActionAnswer } from '@/lib/api/actions';

/** What the viewer enters besides the reason; each action has some of it. */
export interface ActionInput {
  /** Id of the revision to roll back to. */
  to?: string | null;
  likeKubectl?: boolean;
  /** Undefined: it stays; null: the typed text is not a number. */
  partition?: number | null;
  /** The step to jump to, counted from 1. */
  step?: number | null;
  /** Whether a deletion reverts the rollout. */
  revert?: boolean;
}

/** What an open dialog shows of the action and of the object that it changes. */
export interface ActionView<Subject> {
  /** The object when the dialog was opened, as the viewer decides on it, and as it is now. */
  first: Subject;
  viewed: Subject;
  now: Subject;
  /** Whether the viewer reloaded the object. */
  isReloaded: boolean;
  /** The object is no longer the viewed one: nothing is written before the viewer reloads it. */
  isChanged: boolean;
  input: ActionInput;
  onInput: (change: ActionInput) => void;
  request: ActionRequest | null;
  preview: Pick<UseQueryResult<ActionAnswer>, 'data' | 'error' | 'isFetching' | 'fetchStatus' | 'refetch'>;
  /** Why the confirmed action was not accepted. */
  sendError: unknown;
  /** The field that has the focus first, where `startsInField`. */
  fieldRef: React.RefObject<HTMLInputElement | null>;
}

/** What one action differs in from all others. */
export interface ActionDescription<Subject> {
  object: WorkloadRef;
  size?: 'large';
  /** Default: its namespace and name. */
  subtitle?: React.ReactNode;
  /** Without a subject while that is loading. */
  title: (subject: Subject | undefined) => string;
  /** Identifies what the write depends on; the server compares it. */
  seenOf: (subject: Subject) => string;
  initialInput: (subject: Subject) => ActionInput;
  /** A reason to start from; the viewer can change it. */
  initialReason?: (subject: Subject) => string;
  /** What is previewed and sent; null while the input is not complete. */
  requestOf: (subject: Subject, input: ActionInput) => ActionRequest | null;
  /** The viewer must have seen the changes. */
  replacesTemplate?: boolean;
  startsInField?: boolean;
  /** What protects the write from applying to another object than the viewed one. */
  preconditionNote: (subject: Subject) => string;
  confirm: (view: ActionView<Subject>) => { label: string; glyph: GlyphName; cancel?: string };
  /** Reports that the object changed since the dialog was opened. */
  changedNotice: (view: ActionView<Subject>) => React.ReactNode;
  fields?: (view: ActionView<Subject>) => React.ReactNode;
  /** In the place of the preview while the object differs from the viewed one. */
  changed?: (view: ActionView<Subject>) => React.ReactNode;
  /** Own arrangement of everything below the fields. */
  body?: (view: ActionView<Subject>) => React.ReactNode;
}
