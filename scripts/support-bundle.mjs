// Writes what support needs into one file: npm run support-bundle [-- FILE]
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { arch, release, type } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { askServer } from '../deploy/image/support-bundle.mjs';
import './register.mjs';

const { readConfig } = await import('../server/shared/config.ts');
const { configReasonOf } = await import('../server/shared/config-error.ts');
const { commonNames, CredentialNames } = await import('../server/shared/masking/credential-name.ts');
const { hideInText } = await import('../server/shared/masking/credential-text.ts');
const { sandboxesFolder, sandboxFolder } = await import('../server/shared/sandbox-folder.ts');
const { shownConfiguration } = await import('../server/shared/shown-configuration.ts');

const root = join(import.meta.dirname, '..');
const [file = `shiplog-support-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.json`] =
  process.argv.slice(2);

try {
  const bundle = await makeBundle();
  writeFileSync(file, `${JSON.stringify(bundle, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  console.log(`Wrote ${file}. Credentials are left out, but it names hosts, clusters, and namespaces:`);
  console.log('read it before you send it.');
  if (bundle.server === null) console.log(`Shiplog itself reported nothing: ${bundle.refusal}`);
} catch (error) {
  console.error(error.code === 'EEXIST' ? `${file} already exists and was not changed.` : error.message);
  process.exitCode = 1;
}

/** What the running server reports, and what is known without it: it may not start. */
async function makeBundle() {
  const { config, problem } = configuration();
  const asked = config === null ? { server: null, refusal: problem } : await ask(config);
  return {
    made: {
      at: new Date().toISOString(),
      shiplog: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
      node: process.version,
      os: `${type()} ${release()}`,
      architecture: arch(),
    },
    configuration: { variables: shownVariables(config), problem, warnings: config?.warnings ?? [] },
    dataDirectory: config === null ? null : dataDirectory(config.dataDir),
    ...asked,
  };
}

function configuration() {
  try {
    return { config: readConfig(process.env), problem: null };
  } catch (error) {
    return { config: null, problem: configReasonOf(error) };
  }
}

function shownVariables(config) {
  const own = config?.masks.names ?? [];
  const names = own.length === 0 ? commonNames : new CredentialNames(own);
  const shown = [...shownConfiguration(process.env)].map(([name, value]) => [
    name,
    hideInText(value, names, () => '[redacted]'),
  ]);
  return Object.fromEntries(shown);
}

/** The sandbox of `npm start` has a data directory of its own. */
async function ask({ host, port, dataDir }) {
  const folders = [dataDir, sandboxFolder(dataDir), sandboxesFolder(dataDir)];
  const withKey = folders.filter((folder) => existsSync(join(folder, 'local-key')));
  let refusal;
  for (const folder of withKey.length === 0 ? [dataDir] : withKey) {
    try {
      return { server: await askServer({ host, port, dataDir: folder }), refusal: null };
    } catch (error) {
      refusal ??= error.message;
    }
  }
  return { server: null, refusal };
}

/** The names of its files, and how the archive can be opened. */
function dataDirectory(path) {
  try {
    const files = readdirSync(path).map((name) => {
      const { size, mode, mtime } = statSync(join(path, name));
      return { name, bytes: size, mode: (mode & 0o777).toString(8), changedAt: mtime.toISOString() };
    });
    const hasArchive = files.some(({ name }) => name === 'archive.db');
    return { path, files, archive: hasArchive ? archiveFacts(join(path, 'archive.db')) : null };
  } catch (error) {
    return { path, problem: error.message };
  }
}

function archiveFacts(path) {
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      return database.prepare('select max(number) as schema from migration').get();
    } finally {
      database.close();
    }
  } catch (error) {
    return { problem: error.message };
  }
}
