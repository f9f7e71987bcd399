import type { Answer } from '@/lib/api/common';
import type { actionAnswerSchema } from '@/lib/api/actions';
import type { diffSchema } from '@/lib/api/diff';
import type { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import type { PlanResult } from '@/lib/workloads/kind';
import type { Finding, Plan } from '@/lib/workloads/plan';
import type { RollbackTarget } from '@/lib/workloads/rollback-target';
import type { Attempt } from '@/server/actions/attempt';
import type { ActionsContext } from '@/server/actions/context';
import type { Follower } from '@/server/actions/follower';
import type { Expectation } from '@/server/audit/audit';
import type { WorkloadName } from '@/server/views/find-workload';
import type { Viewer } from '@/server/shared/viewer';

/** The answer to a request for an action. */
export type ActionResponse = Answer<typeof actionAnswerSchema>;
export type DiffResponse = Answer<typeof diffSchema>;

/** What every request for an action has. */
export interface Confirmed {
  /** Precondition token of what the viewer looked at. */
  seen: string;
  reason: string;
  dryRun: boolean;
}

/** A request for an action in execution. */
export interface Execution<Request extends Confirmed = Confirmed> {
  context: ActionsContext;
  follower: Follower;
  viewer: Viewer;
  ref: WorkloadName;
  request: Request;
  /** Its line in the audit. */
  attempt: Attempt;
}

/**
 * What differs between a rollback, a control and a step of a rollout: reads the current state as the viewer and plans the
 * writes, from facts and request, before anything is checked. Throws AppError `changed` where the state is not the one
 * that the viewer saw.
 */
export type Strategy<Request extends Confirmed = Confirmed> = (
  execution: Execution<Request>,
) => Promise<Proposal>;

/** A planned action, and what the pipeline has to ask about it: see `pipeline.ts` for the order. */
export interface Proposal {
  /** Null when a finding rejects it. */
  readonly plan: Plan | null;
  readonly findings: readonly Finding[];
  /** Precondition token of the current state. */
  readonly preconditionToken: string;
  /** Of a rollback to a revision: the revision, with the identity of its template. */
  readonly to?: { target: RollbackTarget; seen: string };
  /**
   * The checks, besides permission and dry run, that can run beforehand; those with the code of a finding replace it.
   * `answer` is that to the dry run, where it is accepted. Absent: there are none.
   */
  check?(answer: Promise<JsonObject | undefined>): Promise<Finding[]>;
  /** How long it usually takes until the pods are replaced; null: unknown. Absent: it replaces none. */
  usualDurationMs?(): Promise<number | null>;
  /** The plan by the answer to its dry run, whose texts may name what admission alters. Absent: it stays the same. */
  planFor?(answer: JsonObject): Plan | null;
  /** The difference that the write makes; `answer` is that to the dry run, where it was accepted. */
  compare(answer: JsonObject | undefined): Promise<Comparison>;
  /** How the follower recognizes the write and its end, by the API server's answer to it or to its dry run. */
  expect(answer: JsonObject): Expectation;
  /** A precondition did not hold: throws what has changed, or returns where a new proposal can show that. */
  explainConflict(error: AppError): Promise<void>;
  /** What the object itself shows of a write that got no answer. */
  findOutcome(expectation: Expectation): Promise<WriteOutcome>;
  /** The error in terms of what the viewer looked at. Absent: it is already. */
  translate?(error: AppError): Promise<AppError>;
}

export interface Comparison {
  /** Null for an action that changes no template. */
  diff: DiffResponse | null;
  findings: readonly Finding[];
  /** By the template that will be stored, where admission changes the requested one. Absent: as planned. */
  planned?: PlanResult;
}

/** `overwritten`: another write came first, so that this one can't be executed any more. */
export type WriteOutcome =
  | { is: 'written'; object: JsonObject }
  | { is: 'overwritten'; error: AppError }
  | { is: 'unknown'; isUnchanged: boolean };
