// Reads deploy/image/Dockerfile, so that the image has one description, whoever builds it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = fileURLToPath(new URL('../../deploy/image/Dockerfile', import.meta.url));

/**
 * The `config` of the image: https://github.com/opencontainers/image-spec/blob/main/config.md. Knows the instructions
 * that our file has, each on one line, and throws at any other.
 */
export function readDockerfile(text = readFileSync(path, 'utf8')) {
  const config = { Env: [] };
  for (const line of text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))) {
    const [, instruction, value] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    switch (instruction) {
      // The files are known without them.
      case 'FROM':
      case 'COPY':
        break;
      case 'USER':
        config.User = value;
        break;
      case 'WORKDIR':
        config.WorkingDir = value;
        break;
      case 'ENV':
        config.Env.push(value);
        break;
      case 'EXPOSE':
        config.ExposedPorts = { [`${value}/tcp`]: {} };
        break;
      case 'VOLUME':
        config.Volumes = Object.fromEntries(JSON.parse(value).map((folder) => [folder, {}]));
        break;
      case 'ENTRYPOINT':
        config.Entrypoint = JSON.parse(value);
        break;
      default:
        throw new Error(`scripts/image/dockerfile.mjs does not know this line of the Dockerfile: ${line}`);
    }
  }
  return config;
}
