// Lets plain Node run our TypeScript: resolves the `@/` alias and extensionless paths, and empties
// `server-only`. Node strips the types itself.
import { existsSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = new URL('../', import.meta.url);

// The type stripper costs a quarter of a second and 25 MB, and is not even loaded for a file that was stripped
// before.
enableCompileCache(fileURLToPath(new URL('.cache/compiled', root)));

const suffixes = ['', '.ts', '.tsx', '.mjs', '.js', '.json'];

export const hooks = registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'server-only') return next(new URL('test/empty.ts', root).href, context);
    const base = specifier.startsWith('@/')
      ? new URL(specifier.slice(2), root)
      : specifier.startsWith('.') && context.parentURL && !context.parentURL.includes('/node_modules/')
        ? new URL(specifier, context.parentURL)
        : undefined;
    if (base === undefined) return next(specifier, context);
    const path = fileURLToPath(base);
    const suffix = suffixes.find((candidate) => candidate !== '' && existsSync(path + candidate));
    const file = /\.(ts|tsx|mjs|js|json)$/.test(path) || suffix === undefined ? path : path + suffix;
    return next(pathToFileURL(file).href, context);
  },
});
