import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));

export type Arch = 'amd64' | 'arm64';
/** That of this machine, which can run it. */
export const ARCH: Arch = process.arch === 'arm64' ? 'arm64' : 'amd64';

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string; readonly os: string };
}

/** What the image says about how it runs, as Docker and the kubelet read it. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly WorkingDir: string;
  readonly Entrypoint: readonly string[];
  readonly Volumes: Readonly<Record<string, unknown>>;
  readonly Labels: Readonly<Record<string, string>>;
}

/** Runs `npm run image` with these options; returns what it printed. */
export async function buildImage(...options: string[]): Promise<string> {
  const command = ['scripts/image.mjs', ...options];
  const env = { ...process.env, NODE_ENV: 'production' as const };
  try {
    return (await run(process.execPath, command, { cwd: repository, env })).stdout;
  } catch (error) {
    // Debian may publish a fix at any time; an outdated lock is no defect of what these tests are about.
    const { stderr = '' } = error as { stderr?: string };
    if (!stderr.includes('Debian does not offer')) throw error;
    process.stderr.write(
      `\n*** deploy/image/packages.json is OUTDATED, and the newest packages are tested. ***\n${stderr}`,
    );
    return (await run(process.execPath, [...command, '--newest'], { cwd: repository, env })).stdout;
  }
}

/** An OCI image layout in a folder. Reading it checks the size and the digest of everything. */
export class BuiltImage {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The digests of the images, by architecture. */
  digests(): Partial<Record<Arch, string>> {
    return Object.fromEntries(
      this.#images().map(({ digest, platform }) => [platform?.architecture ?? '', digest]),
    );
  }

  compressedBytes(arch: Arch): number {
    return this.#manifest(arch).layers.reduce((sum, { size }) => sum + size, 0);
  }

  config(arch: Arch): ImageConfig {
    const { config } = JSON.parse(this.#blob(this.#manifest(arch).config).toString()) as {
      config: ImageConfig;
    };
    return config;
  }

  billOfMaterials(arch: Arch): string[] {
    const text = readFileSync(join(this.#folder, `sbom-${arch}.cdx.json`), 'utf8');
    const { components } = JSON.parse(text) as { components: { purl: string }[] };
    return components.map(({ purl }) => purl);
  }

  /** Puts the layers over each other, with the owners and modes that they state. */
  async unpack(arch: Arch, into: string): Promise<void> {
    mkdirSync(into);
    for (const layer of this.#manifest(arch).layers) {
      this.#blob(layer);
      await run('tar', ['-xpzf', this.#path(layer), '--same-owner', '-C', into]);
    }
  }

  /** Of everything in the layers. */
  async paths(arch: Arch): Promise<string[]> {
    const lists = this.#manifest(arch).layers.map((layer) =>
      run('tar', ['-tzf', this.#path(layer)], { maxBuffer: 1e8 }),
    );
    return (await Promise.all(lists)).flatMap(({ stdout }) => stdout.trim().split('\n'));
  }

  #images(): readonly Descriptor[] {
    const { manifests: tags } = this.#read(join(this.#folder, 'index.json'));
    return tags.flatMap((tag) => (JSON.parse(this.#blob(tag).toString()) as Index).manifests);
  }

  #manifest(arch: Arch): Manifest {
    const found = this.#images().find(({ platform }) => platform?.architecture === arch);
    if (found === undefined) throw new Error(`There is no image for ${arch}.`);
    return JSON.parse(this.#blob(found).toString()) as Manifest;
  }

  #blob(descriptor: Descriptor): Buffer {
    const content = readFileSync(this.#path(descriptor));
    const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    if (digest !== descriptor.digest || content.length !== descriptor.size)
      throw new Error(`${descriptor.digest} is ${digest} of ${content.length} bytes.`);
    return content;
  }

  #path({ digest }: Descriptor): string {
    return join(this.#folder, 'blobs', ...digest.split(':'));
  }

  #read(path: string): Index {
    return JSON.parse(readFileSync(path, 'utf8')) as Index;
  }
}

interface Index {
  readonly manifests: readonly Descriptor[];
}

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** A folder that is removed at the end. */
export function makeScratch(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'shiplog-image-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
