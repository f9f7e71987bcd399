import 'server-only';
import { arch, release, type } from 'node:os';
import type { Answer } from '@/lib/api/common';
import type { supportSchema } from '@/lib/api/support';
import { isoTime } from '@/lib/format/time';
import type { ArchiveKeeper } from '@/server/archive/archive-keeper';
import { migrations } from '@/server/archive/migrations/migrations';
import type { AuditJournal } from '@/server/audit/audit-journal';
import { localPerson } from '@/server/identity/local';
import type { LocalKey } from '@/server/identity/local-key';
import { notificationTargets } from '@/server/reads/notifications';
import { withTimeout } from '@/server/archive/with-timeout';
import { type ClusterListSources, listClusters } from '@/server/runtime/fleet';
import type { Metrics } from '@/server/runtime/metrics';
import type { Config } from '@/server/shared/config';
import type { RecentLines } from '@/server/shared/recent-lines';
import { shownConfiguration } from '@/server/shared/shown-configuration';
import { version } from '@/server/shared/version';

interface SupportSources extends ClusterListSources {
  config: ClusterListSources['config'] & { auth: Pick<Config['auth'], 'mode'> };
  env: Readonly<Record<string, string | undefined>>;
  localKey: Pick<LocalKey, 'accepts'>;
  archiveKeeper: Pick<ArchiveKeeper, 'state' | 'isTried'>;
  journal: Pick<AuditJournal, 'damaged'>;
  metrics: Pick<Metrics, 'text'>;
  /** Warnings and errors of the log. */
  problems: RecentLines;
}

/** A database that hangs must not keep a person from reporting that it does. */
const ARCHIVE_TIMEOUT_MS = 2_000;

/**
 * What `npm run support-bundle` gets of the running server. It names all clusters and their namespaces, so it is not for
 * everyone who is signed in, but for those who can read the data directory: they have its local key.
 */
export class Support {
  readonly #sources: SupportSources;
  readonly #startedAt = Date.now();

  constructor(sources: SupportSources) {
    this.#sources = sources;
  }

  accepts(key: string | undefined): boolean {
    return key !== undefined && this.#sources.localKey.accepts(key);
  }

  async report(): Promise<Answer<typeof supportSchema>> {
    const { clusters, config, env, shared, archiveKeeper, journal, metrics, problems } = this.#sources;
    const { mask } = shared.keys;
    const archive = shared.archive ?? null;
    const withinTime = <Part>(read: Promise<Part>, otherwise: Part) =>
      withTimeout(read, ARCHIVE_TIMEOUT_MS).catch(() => otherwise);
    const configuration = [...shownConfiguration(env)].map(
      ([name, value]) => [name, mask.text(value)] as const,
    );
    return {
      at: isoTime(Date.now()),
      startedAt: isoTime(this.#startedAt),
      versions: {
        shiplog: version,
        node: process.version,
        os: `${type()} ${release()}`,
        architecture: arch(),
      },
      signIn: config.auth.mode,
      configuration: Object.fromEntries(configuration),
      readiness: clusters.readiness(archiveKeeper.isTried),
      clusters: await listClusters(
        this.#sources,
        localPerson(() => ({ id: 'support', name: 'support' }), 'configured'),
      ),
      archive: {
        isOpen: archive !== null,
        reason: mask.text(archive === null ? archiveKeeper.state.reason : null),
        engine: archive?.engine ?? null,
        bytes: archive === null ? null : await withinTime<number | null>(archive.sizeBytes(), null),
        schema: migrations.length,
      },
      notifications: await withinTime(notificationTargets(shared), []),
      damagedAuditLines: journal.damaged,
      problems: problems.all.map((line) => mask.text(line)),
      metrics: await metrics.text(),
    };
  }
}
