import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { semanticText } from '@/lib/diff/normalize';
import type { Json } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { RolloutEvent } from '@/lib/api/record';
import { parseRolloutHistory } from '@/lib/rollout/openkruise/rollout-history';
import { preferencesRequestSchema } from '@/lib/api/preferences';
import { reviewRequestSchema } from '@/lib/api/review';
import { rollbackRequestSchema } from '@/lib/api/actions';
import { object } from '@/lib/workloads/testing/objects';
import { createActions } from '@/server/actions/service';
import { apiError, FakeCluster } from '@/server/actions/testing/fake-cluster';
import { NOON, ref } from '@/server/actions/testing/shop';
import { decompress } from '@/server/archive/column-values';
import { exportArchive } from '@/server/archive/export';
import { ARCHIVE_FILE, openArchive, openDatabase } from '@/server/archive/open';
import { Audit } from '@/server/audit/audit';
import { AuditJournal } from '@/server/audit/audit-journal';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import type { Transport } from '@/server/cluster/transport';
import { Notices } from '@/server/notifications/notices';
import type { ReadContext } from '@/server/views/context';
import { ChangeSummaries } from '@/server/views/change-summaries';
import { RolloutViews } from '@/server/views/rollout-view';
import { ViewCache } from '@/server/views/workload-view';
import { ownActions } from '@/server/recorder/own-actions';
import { Recorder } from '@/server/recorder/recorder';
import { SharedActions } from '@/server/recorder/shared-actions';
import { savePreferences } from '@/server/reviews/preferences';
import { addComment, saveVerdict } from '@/server/reviews/reviews';
import { RolloutHistoryWriter } from '@/server/rollout-histories/writer';
import { clusterInfo, clusterItem, connectionState } from '@/server/reads/cluster';
import type { ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { clustersOf } from '@/server/runtime/testing/clusters-of';
import { fixedIdentity } from '@/server/identity/testing/fixed-identity';
import type { Runtime } from '@/server/runtime/runtime';
import { Support } from '@/server/runtime/support';
import { IdempotencyStore } from '@/server/shared/idempotency-store';
import { Keys } from '@/server/shared/keys';
import { createLogger } from '@/server/shared/log';
import { RecentLines } from '@/server/shared/recent-lines';
import type { Viewer } from '@/server/shared/viewer';
import { type Variable, variables } from '@/server/shared/variables';
import { noWebhooks } from '@/server/shared/webhooks';
import { StreamHub } from '@/server/stream/hub';
import {
  plantedApplication,
  plantedDeployment,
  plantedHistory,
  plantedRollouts,
  plantedStatefulSet,
  plantedTemplate,
} from '@/test/secrets/planted-objects';
import { LATER_NAME, LATER_SECRET, SECRET, type SecretMaker } from '@/test/secrets/secret-maker';
import { oneCluster } from '@/server/reads/testing/one-cluster';
import { viewerNamed } from '@/server/shared/testing/viewers';

const target = { id: 'hook', url: 'https://hook.example', format: 'json', label: 'hook' } as const;

/**
 * Shiplog over a cluster full of secrets, through some rollouts: recorded, reviewed and acted on, then started
 * again with another name of credentials. `leaks` has the secrets that left it or were stored, with where.
 */
export class PlantedShiplog {
  readonly cluster = new FakeCluster();
  readonly leaks = new Set<string>();
  #keys = new Keys(Buffer.alloc(32, 7));
  #runtime: Runtime | undefined;
  readonly #clock = new VirtualClock();
  readonly #folder = makeFolder();
  readonly #secrets: SecretMaker;
  readonly #problems = new RecentLines();
  readonly #log = createLogger({
    level: 'debug',
    names: [LATER_NAME],
    write: (line) => this.leave('log', line),
    onProblem: (line) => this.#problems.add(line),
  });
  readonly #viewer: Viewer;
  #questions = 0;
  #isLater = false;
  readonly #closing: (() => unknown)[] = [];

  constructor(secrets: SecretMaker) {
    this.#secrets = secrets;
    this.#viewer = viewerNamed(`ana: ${secrets.later()}`, 'ana');
    this.cluster.api.text = () => Promise.resolve(this.#podLog());
  }

  get runtime(): Runtime {
    if (this.#runtime === undefined) throw new Error('It has not been started.');
    return this.#runtime;
  }

  get reads(): ReadContext {
    const [only] = this.runtime.clusters.all;
    if (only === undefined) throw new Error('It has no cluster.');
    return only.reads;
  }

  async play(): Promise<void> {
    const secrets = this.#secrets;
    const clock = this.#clock;
    await clock.advance(NOON - clock.now());
    const templates = [1, 2, 3].map((version) => plantedTemplate(secrets, version));
    this.#put(plantedDeployment(secrets, templates.slice(0, 1), 'complete'));
    this.#put(plantedStatefulSet(secrets));
    this.#put(plantedRollouts(secrets));
    this.#put(plantedApplication(secrets));
    this.#putHistory(plantedHistory(secrets));
    const { actions, journal, recorder } = await this.#start();
    recorder.start();
    await clock.advance(5_000);
    for (const state of ['progressing', 'stalled', 'complete'] as const) {
      this.#put(plantedDeployment(secrets, templates.slice(0, 2), state));
      this.#happen();
      await clock.advance(60_000);
    }
    await this.#act(actions);
    this.#put(plantedDeployment(secrets, templates, 'stalled'));
    this.#happen();
    await clock.advance(60_000);
    await this.#review();
    await this.#prefer();
    await journal.settled();
    const stopped = recorder.stop();
    await clock.advance(1_000);
    await stopped;
    await this.#stop();
    this.#keys = new Keys(Buffer.alloc(32, 7), { names: [LATER_NAME] });
    this.#isLater = true;
    await this.#start();
    await this.#writeHistories();
    this.#fail();
  }

  async #start() {
    const cluster = this.cluster;
    const keys = this.#keys;
    const log = this.#log;
    const clock = this.#clock;
    const now = () => clock.now();
    const archive = await openArchive({ databaseUrl: undefined, dataDir: this.#folder.path });
    const audit = Audit.open(this.#folder.path);
    const journal = new AuditJournal({ audit, log });
    journal.attach(archive.actions);
    const views = new ViewCache(cluster, keys.mask, now);
    const notices = new Notices(
      { ...noWebhooks, targets: [target] },
      { mask: keys.mask, publicUrl: 'https://shiplog.example', sandbox: false, clusterName: () => null },
    );
    const reads: ReadContext = {
      ...{ cluster, keys, views, now, archive, audit, notices },
      rollouts: new RolloutViews(cluster, views),
      summaries: new ChangeSummaries(keys.mask),
      config: { links: [{ label: 'Build', url: 'https://ci.example/{name}/{tag}' }] },
    };
    const sharedActions = new SharedActions({
      ...{ audit, log, archive: () => archive },
      clusterId: () => cluster.identity.id,
    });
    const recorder = new Recorder({
      ...{ cluster, archive, keys, log, clock },
      summaries: reads.summaries,
      view: (workload) => views.view(workload),
      actionsOf: (workload) =>
        ownActions(sharedActions.inNamespace(workload.namespace), cluster.cache, workload),
      configChangesOf: () => [this.#configChange()],
      noticesOf: (before, records, nowMs) => notices.ofRollouts(before, records, nowMs),
    });
    const actions = createActions({
      ...{ cluster, keys, audit, log, now },
      archive: () => archive,
      whenArchived: () => journal.settled(),
    });
    actions.resume();
    this.#closing.push(() => {
      actions.stop();
      audit.close();
      return archive.close();
    });
    this.#runtime = await this.#processOf({ reads, actions, journal });
    return { actions, journal, recorder };
  }

  async #stop(): Promise<void> {
    for (const close of this.#closing.splice(0)) await close();
  }

  /** What the archive, its export and the audit file have on disk. */
  async readDisk(): Promise<void> {
    const dataDir = this.#folder.path;
    this.leave('audit file', readFileSync(join(dataDir, 'audit.jsonl'), 'utf8'), true);
    const database = await openDatabase({ databaseUrl: undefined, dataDir });
    await exportArchive(database, this.#keys.mask, (chunk) => {
      this.leave('export', chunk);
      return Promise.resolve();
    });
    await database.db.destroy();
    const file = new DatabaseSync(join(dataDir, ARCHIVE_FILE), { readOnly: true });
    const tables = file.prepare("select name from sqlite_master where type = 'table'").all();
    for (const { name } of tables as { name: string }[]) {
      // A rollback needs the template as it was.
      if (name === 'body') continue;
      for (const row of file.prepare(`select * from "${name}"`).all())
        this.leave(`table ${name}`, Object.values(row).map(textOfColumn).join(' '), true);
    }
    file.close();
  }

  async close(): Promise<void> {
    await this.#stop();
    this.#folder.remove();
  }

  /** A text that left, or what is stored as readable text. */
  leave(where: string, text: string, isStored = false): void {
    const secret = this.#isLater && !isStored ? `${SECRET}|${LATER_SECRET}` : SECRET;
    for (const { index } of text.matchAll(new RegExp(secret, 'g')))
      this.leaks.add(`${where}: ${text.slice(Math.max(0, index - 60), index + 20)}`);
  }

  #put(objects: readonly Parameters<FakeCluster['put']>[0][]): void {
    for (const one of objects) this.cluster.put(one);
  }

  /** What cannot be read, and what some requests of the viewer are refused. */
  #fail(): void {
    const { cluster } = this;
    const reason = () => this.#secrets.line();
    cluster.connection = { ...cluster.connection, message: reason() };
    const since = this.#clock.now();
    const [first, ...others] = cluster.states;
    cluster.states = [
      ...(first === undefined ? [] : [{ ...first, behind: { since, reason: reason() } }]),
      ...others,
      { resource: 'widgets.example.com', synced: true, problem: reason() },
      { resource: 'gadgets.example.com', synced: false, problem: null },
    ];
    cluster.answerAccess = () => {
      // Two in a row: in all namespaces, and in one.
      this.#questions += 1;
      return this.#questions % 9 > 1 ? { allowed: true } : { allowed: false, reason: reason() };
    };
    cluster.onRequest = ({ path }) => {
      if (/\/(?:ingresses|services)\//.test(path)) throw apiError(500, 'InternalError', reason());
    };
  }

  /** Events about everything. */
  #happen(): void {
    const at = new Date(this.#clock.now()).toISOString();
    for (const { uid, name, resource } of [...this.cluster.cache.workloads()]) {
      this.cluster.cache.addEvent({
        ...{ uid: `event-${uid}-${at}`, namespace: 'shop', type: 'Warning' },
        reason: `Failed ${this.#secrets.later()}`,
        ...{ message: this.#secrets.text(), count: 1, first: at, last: at },
        object: { kind: resource, name, uid },
      });
    }
  }

  async #act(actions: ReturnType<typeof createActions>): Promise<void> {
    const workload = this.cluster.cache.workload(ref.resource, ref.namespace, ref.name);
    const seen = this.#keys.preconditionToken(
      this.cluster.identity.id,
      workload?.uid ?? '',
      workload?.bodyId ?? '',
    );
    for (const dryRun of [true, false]) {
      const request = {
        to: 1,
        seen,
        reason: this.#secrets.text(),
        dryRun,
        likeKubectl: this.#secrets.flip(),
      };
      const answer = await actions
        .rollback(this.#viewer, ref, rollbackRequestSchema.parse(request))
        .catch((error: unknown) => ({ error: String(error) }));
      this.leave('POST rollback', JSON.stringify(answer));
    }
  }

  async #prefer(): Promise<void> {
    const filters = { q: this.#secrets.later() };
    const view = { name: this.#secrets.token(), filters };
    const first = { namespaces: [], clusters: [] };
    const request = preferencesRequestSchema.parse({ views: [view], initial: null, first, ifVersion: 0 });
    const saved = await savePreferences(oneCluster(this.reads, this.#viewer), this.#viewer, request);
    this.leave('PUT preferences', JSON.stringify(saved));
  }

  async #review(): Promise<void> {
    const { items } = await this.#search();
    for (const { record } of items) {
      const followUp = {
        person: `bob --token=${this.#secrets.value()}`,
        due: '2026-08-03',
      };
      const verdict = this.#secrets.flip() ? { verdict: 'followUp', followUp } : { verdict: 'bad' };
      const request = { ...verdict, comment: this.#secrets.text(), ifVersion: 0 };
      const saved = await saveVerdict(
        oneCluster(this.reads, this.#viewer),
        record.id,
        reviewRequestSchema.parse(request),
      );
      const comment = { body: this.#secrets.text(), path: this.#secrets.later(), answers: null };
      const added = await addComment(oneCluster(this.reads, this.#viewer), record.id, comment);
      this.leave('PUT review', JSON.stringify([saved, added]));
    }
  }

  #search() {
    const archive = this.reads.archive;
    if (archive == null) throw new Error('The archive is not open.');
    return archive.rollouts.search({
      clusters: [{ cluster: this.cluster.identity.id, scopes: null }],
      limit: 100,
      cursor: null,
    });
  }

  async #writeHistories(): Promise<void> {
    const route = object(
      'Ingress',
      { name: 'checkout' },
      { spec: { rules: [{ note: this.#secrets.text() }] } },
    ) as unknown as Json;
    const json: Transport['json'] = ({ method, path, body = '' }) => {
      if (/ingresses\/|services\//.test(path)) return Promise.resolve(route);
      if (method !== 'GET') this.leave('RolloutHistory', body);
      return Promise.resolve({ metadata: {}, items: [] });
    };
    const writer = new RolloutHistoryWriter({
      transport: { json },
      clusterId: () => this.cluster.identity.id,
      namespaces: [],
      archive: () => this.reads.archive ?? null,
      keys: this.#keys,
      log: this.#log,
      clock: this.#clock,
    });
    await writer.reconcile();
  }

  /** The process as routes find it. */
  async #processOf({
    journal,
    ...parts
  }: Pick<ClusterRuntime, 'reads' | 'actions'> & Pick<Runtime, 'journal'>): Promise<Runtime> {
    const { cluster } = this;
    const { reads } = parts;
    const entry = {
      ...{ name: 'prod', title: 'Production', stage: null, formerNames: [] },
      source: { kind: 'in_cluster' as const },
    };
    const sources = {
      ...{ cluster, reads, entry, objects: 0, templateBytes: 0 },
      config: { namespaces: [], readOnly: false, sandbox: false },
      controllers: {
        states: () => [
          {
            name: 'oam',
            state: 'unknown' as const,
            since: NOON,
            holder: undefined,
            problem: this.#secrets.line(),
          },
        ],
      },
      moved: { at: new Date(NOON).toISOString(), from: this.#secrets.line() },
      recorderState: { state: 'recording' as const, since: NOON, reason: this.#secrets.line() },
    };
    const only = {
      ...{ ...parts, cluster, entry },
      viewerOf: () => this.#viewer,
      viewedBy: (viewer: Viewer) => ({ entry, context: reads, viewer }),
      itemFor: () => clusterItem(sources, this.#viewer),
      infoFor: () => clusterInfo(sources, this.#viewer),
      connectionFor: () => connectionState(cluster, this.#viewer, this.#keys.mask),
    } as unknown as ClusterRuntime;
    const process = {
      clusters: await clustersOf([only]),
      configuration: { problem: null, gap: null },
      config: { ...sources.config, auth: { mode: 'oidc' as const } },
      shared: reads,
      archiveKeeper: { isTried: true, state: { state: 'starting' as const, since: NOON, reason: null } },
      journal,
      metrics: { observe: () => undefined, text: () => Promise.resolve('') },
    };
    return {
      ...process,
      log: this.#log,
      support: new Support({
        ...process,
        env: plantedEnvironment(this.#secrets),
        localKey: { accepts: () => true },
        problems: this.#problems,
      }),
      hub: new StreamHub('test'),
      edge: {
        ...{ log: this.#log, keys: this.#keys, publicUrl: undefined },
        idempotency: new IdempotencyStore(),
        identity: fixedIdentity(() => this.#viewer),
      },
    } as unknown as Runtime;
  }

  /** The cache has it without its template, which is read when it is asked for. */
  #putHistory(history: KubeObject): void {
    this.cluster.store(history);
    this.cluster.rollouts.changeRecord({ type: 'added', value: parseRolloutHistory(history, semanticText) });
  }

  #configChange(): RolloutEvent {
    const at = new Date(NOON).toISOString();
    return {
      at,
      reason: this.#secrets.later(),
      message: this.#secrets.text(),
      object: 'ConfigMap x',
      count: 1,
    };
  }

  #podLog(): string {
    return Array.from({ length: 5 }, () => this.#secrets.text()).join('\n');
  }
}

/** Every variable that holds a secret, and one that should not but does. */
function plantedEnvironment(secrets: SecretMaker): Record<string, string> {
  const secret = Object.entries<Variable>(variables).filter(([, { isSecret }]) => isSecret);
  return {
    ...Object.fromEntries(secret.map(([name]) => [name, secrets.value()])),
    HTTPS_PROXY: `http://proxy:${secrets.value()}@proxy.example:3128`,
    SHIPLOG_LINK_LOGS: `https://logs:${secrets.value()}@logs.example/{name}?token=${secrets.token()}`,
  };
}

function textOfColumn(value: unknown): string {
  if (!(value instanceof Uint8Array)) return String(value);
  return decompress(value);
}
