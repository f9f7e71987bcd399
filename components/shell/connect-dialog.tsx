'use client';

import { CodeBlock, CodeText } from '@/components/ui/code-text';
import { Dialog, DialogSection } from '@/components/ui/dialog';

const connectOptions = [
  {
    title: 'The current context of your kubeconfig',
    text: 'By default Shiplog uses kubectl’s current context.',
    command: 'npm start',
  },
  {
    title: 'Another kubeconfig, or another of its contexts',
    text: 'Uses your own credentials and RBAC.',
    command: 'KUBECONFIG=~/.kube/staging SHIPLOG_CONTEXT=eu npm start',
  },
  {
    title: 'Read-only',
    text: 'Nothing is written to the cluster, not even a dry run.',
    command: 'SHIPLOG_READ_ONLY=1 npm start',
  },
] as const;

/** Describes the sandbox, and how to connect a real cluster instead. */
export function ConnectDialog({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Connect your cluster" size="small">
      <DialogSection className="grid gap-5 pt-0">
        <p className="text-ink-2">
          You see the sandbox: a simulated API server with controllers inside the Shiplog process, and a demo
          shop. To use your own cluster, stop Shiplog and start it with one of these:
        </p>
        <ol className="grid gap-4">
          {connectOptions.map(({ title, text, command }) => (
            <li key={title}>
              <h3 className="font-medium">{title}</h3>
              <p className="mt-0.5 mb-1.5 text-small text-ink-3">{text}</p>
              <CodeBlock label={title} text={command} copy />
            </li>
          ))}
        </ol>
        <p className="border-t border-hair pt-3 text-small text-ink-3">
          The sandbox keeps its state: <CodeText>npm start -- --sandbox</CodeText> opens it again,{' '}
          <CodeText>--reset</CodeText> starts a new one. kubectl works with it too; Shiplog prints the path of
          its kubeconfig when it starts.
        </p>
      </DialogSection>
    </Dialog>
  );
}
