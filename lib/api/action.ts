import { z } from 'zod';
import { actionNames, actionStates, targetOrigins } from '@/lib/api/action-values';
import { instant, maskedText } from '@/lib/api/common';
import type { Immutable } from '@/lib/immutable';

/** The description of the API has it as the default of members that answers always have. */
const nullByDefault = { default: null };

/** An action as it is tracked and audited. */
export const actionSchema = z.object({
  id: z.string(),
  cluster: z.string(),
  action: z.enum(actionNames),
  resource: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  actor: maskedText,
  reason: maskedText,
  /** Numbers at the time: the target, and the chosen revision. */
  from: z.number().nullable(),
  to: z.number().nullable(),
  fromId: z.string().nullable(),
  toId: z.string().nullable(),
  /** Rollback: where the template came from. */
  toOrigin: z.enum(targetOrigins).nullable().meta(nullByDefault),
  /** Rollback: identifies the template as the hashes in records do, whatever revision will carry it. */
  toHash: z.string().nullable().meta(nullByDefault),
  /** Rollback: identifies the template that is stored, which admission may have changed. Absent: not sent, or older. */
  toStored: z.string().optional(),
  /** Approval or jump: the step before and the step after; `to` is null after the last one. */
  step: z.object({ from: z.number(), to: z.number().nullable() }).nullable().meta(nullByDefault),
  /** The label of its button: "Approve batch 3". Absent: the same for every object. */
  label: z.string().optional(),
  /** The group restarted by deleting a pod: its number. */
  group: z.number().optional(),
  /** Rollback of a progressive rollout: its object. The action itself applies to its workload. */
  rollout: z.object({ resource: z.string(), name: z.string() }).nullable().meta(nullByDefault),
  state: z.enum([...actionStates, 'refused']),
  startedAt: instant,
  endedAt: instant.nullable(),
  /** Its progress or its end, as text: "2 of 3 pods ready on 44". */
  message: maskedText,
  /** Number under which Kubernetes recorded the template again; null until it has. */
  recordedAs: z.number().nullable(),
  progress: z.object({ desired: z.number(), updated: z.number(), ready: z.number() }).nullable(),
  /** The write got no answer: the state of the cluster shows whether it was applied. Absent: it got one. */
  unanswered: z.literal(true).optional(),
  /** The field manager of the owner that put the template before back. Absent: none did. */
  undoneBy: z.string().optional(),
});
export type Action = Immutable<z.infer<typeof actionSchema>>;

export const actionListSchema = z.object({ items: z.array(actionSchema) });

/** Who sent a request, as far as Shiplog knows: where the person has signed in, and from which address it came. */
export const senderSchema = z.object({
  /** Of the identity provider or the proxy's token, with its name for the person there. */
  issuer: z.string().nullable(),
  subject: z.string().nullable(),
  /** The same for all requests of one sign-in; a hash, which signs no one in. */
  session: z.string().nullable(),
  /** The other end of the connection: with a proxy in front of Shiplog, the proxy. */
  address: z.string().nullable(),
  /** What the proxy says of the address before it. Without a proxy anyone can claim anything here. */
  forwardedFor: z.string().nullable(),
});
export type Sender = Immutable<z.infer<typeof senderSchema>>;

/** The state of an action through Shiplog at one time, as the archive has it. */
export const archivedActionSchema = z.object({
  at: instant,
  action: actionSchema,
  /** Of a rejection or failure: the error's code and the API server's own words. */
  code: z.string().nullable(),
  apiMessage: maskedText.nullable(),
  /**
   * Whom the API server took the request for; null where that was Shiplog itself. The groups are those that Shiplog
   * impersonated: those of a token are known to the API server alone.
   */
  identity: z.object({ user: maskedText, groups: z.array(maskedText) }).nullable(),
  /** Absent in rows of earlier versions. */
  sender: senderSchema.nullable().optional(),
  /** The origin of the page that sent the request, null for a program. */
  origin: z.string().nullable(),
  /** Hash of the template that was the target. */
  fromHash: z.string().nullable(),
  /** Why it was rejected. */
  findings: z.array(z.object({ code: z.string(), message: maskedText })),
  /** Keyed hash of the idempotency key of the request. */
  idempotencyKey: z.string().nullable(),
});
export type ArchivedAction = Immutable<z.infer<typeof archivedActionSchema>>;
