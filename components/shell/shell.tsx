import { ClusterChip } from '@/components/shell/cluster-chip';
import { FindButton } from '@/components/shell/find-button';
import { Freshness } from '@/components/shell/freshness';
import { MainNav, TabBar } from '@/components/shell/main-nav';
import { Overlays } from '@/components/shell/overlays';
import { PageFooter } from '@/components/shell/page-footer';
import { SandboxStrip } from '@/components/shell/sandbox-strip';
import { Stream } from '@/components/shell/stream';
import { ViewerMenu } from '@/components/shell/viewer-menu';
import { ZoneNote } from '@/components/ui/zone-note';
import { SignInGate } from '@/components/shell/sign-in-gate';
import { Toasts } from '@/components/ui/toast';
import Link from 'next/link';

/** The frame of every page: the bar, the keys, the tabs of a phone, and the overlays. */
export function Shell({ children }: { children: React.ReactNode }) {
  return (
    <>
      <a
        href="#main"
        className="absolute -top-10 left-3 z-50 rounded-3 bg-solid px-3 py-1.5 text-ink-inv focus:top-2"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-30 flex h-(--top) flex-none items-center gap-1 border-b border-line bg-surface px-gutter max-desk:gap-1.5">
        <Brand />
        <ClusterChip />
        <MainNav />
        <div className="ml-auto flex items-center gap-2.5">
          <FindButton />
          <Freshness />
          <ViewerMenu />
        </div>
      </header>
      <SandboxStrip />
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto w-full max-w-[1520px] flex-1 px-gutter pb-14 outline-none max-desk:pb-[calc(var(--foot)+80px)]"
      >
        {children}
        <ZoneNote className="block pt-6 text-small text-ink-3 desk:hidden" />
      </main>
      <PageFooter />
      <TabBar />
      <Overlays />
      <Toasts />
      <Stream />
      <SignInGate />
    </>
  );
}

/** The logo: two lanes, and the way back from the upper to the lower one. */
function Brand() {
  return (
    <Link
      href="/"
      aria-label="Shiplog, go to Workloads"
      className="mr-2.5 flex flex-none items-center gap-2 text-lead font-semibold tracking-[-0.02em]"
    >
      <svg
        viewBox="0 0 18 18"
        aria-hidden="true"
        className="size-[18px] fill-none stroke-current stroke-[1.9] [stroke-linecap:round]"
      >
        <path d="M2 14.5h5.2M10.2 9h5.8M10.2 9c-3 0-3 5.5 0 5.5H16" />
        <path d="M6 3.5h10" className="stroke-accent" />
      </svg>
      Shiplog
    </Link>
  );
}
