import { z } from 'zod';
import { instant } from '@/lib/api/common';
import { diffSchema } from '@/lib/api/diff';
import { actionKinds, severities } from '@/lib/workloads/plan';

const seen = z.string().min(1).max(200);
const reason = z.string().max(1000).default('');
const dryRun = z.boolean().default(false);

export const rollbackRequestSchema = z.strictObject({
  /** Number or id of the revision to return to. */
  to: z.union([z.string().min(1).max(253), z.number().int()]),
  /** The semantic identity of `to` as shown; given by the preview, checked again before the write. */
  toSeen: z.string().max(200).optional(),
  seen,
  reason,
  dryRun,
  /** Replace the annotation map as `kubectl rollout undo` does. Deployments only. */
  likeKubectl: z.boolean().default(false),
});
export type RollbackRequest = z.input<typeof rollbackRequestSchema>;

export const controlRequestSchema = z.strictObject({ seen, reason, dryRun });
export type ControlRequest = z.input<typeof controlRequestSchema>;

export const partitionRequestSchema = z.strictObject({
  to: z.number().int().min(0).max(1_000_000),
  seen,
  reason,
  dryRun,
});
export const podDeleteRequestSchema = z.strictObject({
  uid: z.string().min(1).max(100),
  seen,
  reason,
  dryRun,
});

export const findingSchema = z.object({
  severity: z.enum(severities),
  code: z.string(),
  message: z.string(),
  action: z.string().nullable(),
});
export type FindingItem = z.infer<typeof findingSchema>;

export const planSchema = z.object({
  action: z.enum(actionKinds),
  title: z.string(),
  steps: z.array(z.string()),
  stays: z.array(z.string()),
  kubectl: z.string(),
  /** The request that is sent, masked: method, path, body. */
  request: z.object({ method: z.string(), path: z.string(), body: z.unknown() }),
});

export const actionStates = ['accepted', 'following', 'done', 'failed'] as const;

export const resultSchema = z.object({
  actionId: z.string(),
  state: z.enum(actionStates),
});

export const actionAnswerSchema = z.object({
  /** Null when refused. */
  plan: planSchema.nullable(),
  findings: z.array(findingSchema),
  /** From what is there now to what will be there; null for actions that leave the template alone. */
  diff: diffSchema.nullable(),
  applied: z.boolean(),
  result: resultSchema.nullable(),
  /** Rollback: identity of the chosen revision's template, to be sent back as `toSeen`. */
  toSeen: z.string().nullable(),
  /** Whether the API server's dry run accepted the write; null when it could not be asked. */
  dryRun: z.object({ accepted: z.boolean(), message: z.string(), at: instant }).nullable(),
  revision: z.object({ id: z.string(), number: z.number().nullable() }).nullable(),
});
export type ActionAnswer = z.infer<typeof actionAnswerSchema>;

/** An action as it is followed and audited. */
export const actionSchema = z.object({
  id: z.string(),
  cluster: z.string(),
  action: z.enum(actionKinds),
  resource: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  actor: z.string(),
  reason: z.string(),
  /** Numbers at the time: what was the target, what was chosen. */
  from: z.number().nullable(),
  to: z.number().nullable(),
  fromId: z.string().nullable(),
  toId: z.string().nullable(),
  state: z.enum([...actionStates, 'refused']),
  startedAt: instant,
  endedAt: instant.nullable(),
  /** What is going on or how it ended, in words: "2 of 3 pods ready on 44". */
  message: z.string(),
  /** Number under which Kubernetes recorded the template again; null until it has. */
  recordedAs: z.number().nullable(),
  progress: z.object({ desired: z.number(), updated: z.number(), ready: z.number() }).nullable(),
});
export type Action = z.infer<typeof actionSchema>;

export const actionListSchema = z.object({ items: z.array(actionSchema) });
