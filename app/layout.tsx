import type { Metadata, Viewport } from 'next';
import { cookies, headers } from 'next/headers';
import { GeistMono } from 'geist/font/mono';
import { GeistSans } from 'geist/font/sans';
import { Providers } from '@/app/providers';
import { readShell } from '@/app/read-shell';
import { Shell } from '@/components/shell/shell';
import { earlyKeysScript } from '@/components/ui/early-keys';
import '@/app/globals.css';

export const metadata: Metadata = {
  title: { default: 'Shiplog', template: '%s · Shiplog' },
  description: 'Every rollout in your Kubernetes clusters, what it changed, and a safe rollback',
};

export const viewport: Viewport = {
  colorScheme: 'light dark',
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#ffffff' },
    { media: '(prefers-color-scheme: dark)', color: '#14181f' },
  ],
};

export default async function RootLayout({ children }: { children: React.ReactNode }) {
  const [jar, asked, shell] = await Promise.all([cookies(), headers(), readShell()]);
  const viewer = shell.session?.viewer;
  const theme = jar.get('theme')?.value;
  const frame = { nowMs: currentMs(), timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone };
  return (
    <html
      lang="en"
      data-viewer={viewer ? encodeURIComponent(viewer.id) : undefined}
      data-theme={theme === 'light' || theme === 'dark' ? theme : undefined}
      data-sandbox-strip={jar.get('sandbox-strip')?.value === 'closed' ? 'closed' : undefined}
      className={`${GeistSans.variable} ${GeistMono.variable}`}
      suppressHydrationWarning
    >
      <body>
        {/* The browser hides the nonce from scripts, so the markup differs. */}
        <script
          nonce={nonceOf(asked.get('Content-Security-Policy'))}
          dangerouslySetInnerHTML={{ __html: earlyKeysScript }}
          suppressHydrationWarning
        />
        <Providers frame={frame} shell={shell}>
          <Shell>{children}</Shell>
        </Providers>
      </body>
    </html>
  );
}

/** From the policy that proxy.ts has set for this page. */
function nonceOf(policy: string | null): string | undefined {
  return /'nonce-([^']+)'/.exec(policy ?? '')?.[1];
}

/** Read once per request, on the server; the browser's first paint uses the same moment. */
function currentMs(): number {
  return Date.now();
}
