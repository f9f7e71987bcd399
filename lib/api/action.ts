import { z } from 'zod/mini';
import { actionNames, actionStates, targetOrigins } from '@/lib/api/action-values';
import { instant, maskedText } from '@/lib/api/common';
import { type Immutable } from '@/lib/immutable';

/** The description of the API has it as the default of members that answers always have. */
const nullByDefault = z.meta({ default: null });

/** An action as it is tracked and audited. */
export const actionSchema = z.object({
  id: z.string(),
  cluster: z.string(),
  action: z.enum(actionNames),
  resource: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  actor: z.string(),
  reason: maskedText,
  /** Numbers at the time: the target, and the chosen revision. */
  from: z.nullable(z.number()),
  to: z.nullable(z.number()),
  fromId: z.nullable(z.string()),
  toId: z.nullable(z.string()),
  /** Rollback: where the template came from. */
  toOrigin: z.nullable(z.enum(targetOrigins)).check(nullByDefault),
  /** Rollback: identifies the template as the hashes in records do, whatever revision will carry it. */
  toHash: z.nullable(z.string()).check(nullByDefault),
  /** Approval or jump: the step before and the step after; `to` is null after the last one. */
  step: z.nullable(z.object({ from: z.number(), to: z.nullable(z.number()) })).check(nullByDefault),
  /** The label of its button: "Approve batch 3". Absent: the same for every object. */
  label: z.optional(z.string()),
  /** The group restarted by deleting a pod: its number. */
  group: z.optional(z.number()),
  /** Rollback of a progressive rollout: its object. The action itself applies to its workload. */
  rollout: z.nullable(z.object({ resource: z.string(), name: z.string() })).check(nullByDefault),
  state: z.enum([...actionStates, 'refused']),
  startedAt: instant,
  endedAt: z.nullable(instant),
  /** Its progress or its end, as text: "2 of 3 pods ready on 44". */
  message: maskedText,
  /** Number under which Kubernetes recorded the template again; null until it has. */
  recordedAs: z.nullable(z.number()),
  progress: z.nullable(z.object({ desired: z.number(), updated: z.number(), ready: z.number() })),
  /** The write got no answer: the state of the cluster shows whether it was applied. Absent: it got one. */
  unanswered: z.optional(z.literal(true)),
});
export type Action = Immutable<z.infer<typeof actionSchema>>;

export const actionListSchema = z.object({ items: z.array(actionSchema) });

/** The state of an action through Shiplog at one time, as the archive has it. */
export const archivedActionSchema = z.object({
  at: instant,
  action: actionSchema,
  /** Of a rejection or failure: the error's code and the API server's own words. */
  code: z.nullable(z.string()),
  apiMessage: z.nullable(maskedText),
  /** The identity that the API server saw; null where that was Shiplog's own. */
  identity: z.nullable(z.object({ user: z.string(), groups: z.array(z.string()) })),
  /** The origin of the page that sent the request, null for a program. */
  origin: z.nullable(z.string()),
  /** Hash of the template that was the target. */
  fromHash: z.nullable(z.string()),
  /** Why it was rejected. */
  findings: z.array(z.object({ code: z.string(), message: maskedText })),
  /** Keyed hash of the idempotency key of the request. */
  idempotencyKey: z.nullable(z.string()),
});
export type ArchivedAction = Immutable<z.infer<typeof archivedActionSchema>>;
