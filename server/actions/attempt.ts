import 'server-only';
import type { Action, ArchivedAction } from '@/lib/api/action';
import type { Finding } from '@/lib/workloads/plan';
import { AppError, type ErrorCode } from '@/lib/errors';
import type { ActionName } from '@/lib/api/action-values';
import { canonicalJson } from '@/lib/kube/json';
import type { RollbackTarget } from '@/lib/workloads/rollback-target';
import type { ActionsContext } from '@/server/actions/context';
import type { CurrentWorkload } from '@/server/actions/current-workload';
import { hashOfText } from '@/server/archive/revisions';
import type { AuditEntry, AuditFacts, Expectation } from '@/server/audit/audit';
import { processIdentity } from '@/server/audit/process-identity';
import type { WorkloadName } from '@/server/views/find-workload';
import { maskedIdentity } from '@/server/shared/masked-action';
import { requestFacts } from '@/server/shared/request-facts';
import type { Viewer } from '@/server/shared/viewer';

/** Codes of a rejected attempt, as opposed to one that failed. */
const refusalCodes = new Set<ErrorCode>([
  'refused',
  'changed',
  'forbidden',
  'unauthorized',
  'read_only',
  'not_found',
  'ambiguous',
  'conflict',
  'bad_request',
]);

/**
 * One attempt to change something, from the request to the audit. Its facts are filled in as they become
 * known.
 */
export class Attempt {
  readonly #context: ActionsContext;
  readonly #preconditionToken: string;
  #facts: AuditFacts;
  #action: Action;
  #isClosed = false;
  #hasBegun = false;
  readonly #viewerId: string;

  constructor(
    context: ActionsContext,
    viewer: Viewer,
    kind: ActionName,
    ref: WorkloadName,
    request: { seen: string; reason: string },
  ) {
    this.#context = context;
    this.#preconditionToken = request.seen;
    this.#viewerId = viewer.id;
    this.#facts = {
      ...requestFacts(),
      identity: maskedIdentity(identityOf(viewer), context.keys.mask),
      fromHash: null,
      holder: processIdentity,
    };
    this.#action = {
      id: context.newId(),
      cluster: context.cluster.identity.id,
      action: kind,
      resource: ref.resource,
      namespace: ref.namespace,
      name: ref.name,
      uid: '',
      actor: context.keys.mask.text(viewer.name),
      reason: context.keys.mask.text(request.reason),
      from: null,
      to: null,
      fromId: null,
      toId: null,
      toOrigin: null,
      toHash: null,
      step: null,
      rollout: null,
      state: 'accepted',
      startedAt: this.#time(),
      endedAt: null,
      message: '',
      recordedAs: null,
      progress: null,
    };
  }

  get action(): Action {
    return this.#action;
  }

  /** What becomes known of the action while it is planned. */
  describe(change: Partial<Action>): void {
    this.#action = { ...this.#action, ...change };
  }

  /** The workload with the template that the action replaces, which has a hash as in records. */
  describeCurrent({ workload: { uid }, history: { target }, currentTemplate }: CurrentWorkload): void {
    this.describe({ uid, from: target?.number ?? null, fromId: target?.id ?? null });
    const fromHash = this.#context.keys.template(hashOfText(canonicalJson(currentTemplate)));
    this.#facts = { ...this.#facts, fromHash };
  }

  /** The revision of a rollback, with the hash of its template. */
  describeTarget(
    { number, id, origin }: Pick<RollbackTarget, 'number' | 'id' | 'origin'>,
    hash: string,
  ): void {
    const toHash = this.#context.keys.template(hash);
    this.describe({ to: number, toId: id, toOrigin: origin.kind, toHash });
  }

  /** What the follower says where an owner of the workload undoes the action. */
  describeOwners(findings: readonly Finding[]): void {
    const sentences = findings
      .filter(({ code }) => code === 'gitops_owner')
      .flatMap(({ message, action }) => [message, action ?? '']);
    if (sentences.length > 0)
      this.#facts = { ...this.#facts, owners: this.#context.keys.mask.text(sentences.join(' ')) };
  }

  /** Written before the write is sent. Throws when it can't be: then nothing is sent. */
  begin(expectation: Expectation): AuditEntry {
    this.#describeStored(expectation);
    this.describe({ state: 'accepted', message: 'Sent to the API server.' });
    const entry = this.#entry('attempted', expectation);
    this.#context.audit.append(entry);
    this.#hasBegun = true;
    return entry;
  }

  /** The write succeeded. A line that can't be written any more is a log line: the write stands. */
  accept(expectation: Expectation): AuditEntry {
    this.#isClosed = true;
    this.#describeStored(expectation);
    this.describe({ state: 'accepted', message: 'Accepted by the API server.' });
    const entry = this.#entry('accepted', expectation);
    this.#tryAppend(entry);
    return entry;
  }

  /** The outcome of the write is unknown; the follower finds out. */
  leaveOpen(): void {
    this.#isClosed = true;
  }

  /** The error with the action's id; records rejections and failures separately. */
  fail(error: unknown): unknown {
    if (this.#isClosed) return error;
    this.#isClosed = true;
    const known = error instanceof AppError ? error : undefined;
    // A rejection after the first of two writes has changed something.
    const isRefusal =
      known !== undefined && refusalCodes.has(known.code) && known.details.isHalfDone !== true;
    const state = isRefusal ? 'refused' : 'failed';
    const message = this.#context.keys.mask.text(known?.sentence ?? 'Internal error in Shiplog.');
    this.describe({ state, message, endedAt: this.#time() });
    const isAudited = this.#tryAppend(this.#entry(state, null, known));
    if (known === undefined || !isAudited) return error;
    return new AppError(known.code, known.sentence, { ...known.details, actionId: this.#action.id }, known);
  }

  #describeStored({ template }: Expectation): void {
    if (this.#action.toId !== null) this.describe({ toStored: template });
  }

  #entry(event: AuditEntry['event'], expectation: Expectation | null, error?: AppError): AuditEntry {
    const apiMessage = error?.details.apiMessage;
    return {
      at: this.#time(),
      event,
      action: this.#action,
      seen: this.#preconditionToken,
      expectation,
      code: error?.code ?? null,
      apiMessage: typeof apiMessage === 'string' ? this.#context.keys.mask.text(apiMessage) : null,
      ...this.#facts,
      findings: this.#refusals(error),
    };
  }

  /** Why it was rejected, as far as the error tells. */
  #refusals(error: AppError | undefined): { code: string; message: string }[] {
    const { findings } = error?.details ?? {};
    if (!Array.isArray(findings)) return [];
    return (findings as Pick<Finding, 'severity' | 'code' | 'message'>[])
      .filter(({ severity }) => severity === 'refusal')
      .map(({ code, message }) => ({ code, message: this.#context.keys.mask.text(message) }));
  }

  /** Whether the audit has a line of it. */
  #tryAppend(entry: AuditEntry): boolean {
    const { audit, refusals, log } = this.#context;
    try {
      if (!this.#hasBegun) return refusals.append(this.#viewerId, entry);
      audit.append(entry);
      return true;
    } catch (error) {
      log.error('an outcome is missing from the audit file', { action: entry.action.id, error });
      return false;
    }
  }

  #time(): string {
    return new Date(this.#context.now()).toISOString();
  }
}

/** The identity that the API server sees. The groups of a token are known to the API server alone. */
function identityOf({ name, credential }: Viewer): ArchivedAction['identity'] {
  switch (credential.kind) {
    case 'process':
      return null;
    case 'impersonate':
      return { user: credential.user, groups: [...(credential.groups ?? [])] };
    case 'token':
    case 'none':
      return { user: name, groups: [] };
  }
}
