import 'server-only';
import { createHash } from 'node:crypto';

/** As the pages of `app/globals.css`, in the little that two sentences need. */
const STYLE = `
:root { color-scheme: light dark; font: 14px/1.55 Inter, system-ui, -apple-system, 'Segoe UI', sans-serif; }
body {
  display: grid; place-content: center; min-height: 100vh; margin: 0; padding: 24px; box-sizing: border-box;
  background: light-dark(oklch(0.982 0.003 240), oklch(0.172 0.01 256));
  color: light-dark(oklch(0.41 0.018 256), oklch(0.78 0.011 252));
}
main {
  max-width: 420px; padding: 24px 28px; border-radius: 12px; overflow-wrap: anywhere;
  background: light-dark(oklch(1 0 0), oklch(0.198 0.011 256));
  border: 1px solid light-dark(oklch(0.906 0.006 240), oklch(0.296 0.014 256));
}
h1 { margin: 0 0 12px; font-size: 17px; font-weight: 600; color: light-dark(oklch(0.215 0.018 258), oklch(0.948 0.005 250)); }
p { margin: 0 0 12px; }
p:last-child { margin: 0; }
a { font-weight: 500; color: light-dark(oklch(0.5 0.135 250), oklch(0.755 0.115 245)); }
code { font: 12.5px ui-monospace, 'SF Mono', Menlo, Consolas, monospace; }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** A page that loads nothing. `title` and `body` are HTML; so is `next`, where the browser goes by itself. */
export function htmlPage(title: string, body: string, next: string | null, status = 200): Response {
  const refresh = next === null ? '' : `\n<meta http-equiv="refresh" content="0; url=${next}">`;
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">${refresh}
<title>${title} · Shiplog</title>
<style>${STYLE}</style>
<main>
<h1>${title}</h1>
${body}
</main>
</html>
`;
  return guarded(new Response(html, { status, headers: { 'Content-Type': 'text/html; charset=utf-8' } }));
}

/** No script, no frame, and no style but {@link STYLE}. */
export function guarded(response: Response): Response {
  response.headers.set('Cache-Control', 'no-store');
  response.headers.set('Referrer-Policy', 'no-referrer');
  response.headers.set(
    'Content-Security-Policy',
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  return response;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
