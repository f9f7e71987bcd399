'use client';

import { CodeBlock, CodeText } from '@/components/ui/code-text';
import { Dialog, DialogSection } from '@/components/ui/dialog';

const connectOptions = [
  {
    title: 'The current context of your kubeconfig',
    text: 'Without a further word Shiplog takes the cluster that kubectl would take.',
    command: 'npm start',
  },
  {
    title: 'Another kubeconfig, or another of its contexts',
    text: 'With your own rights there, and as you.',
    command: 'KUBECONFIG=~/.kube/staging SHIPLOG_CONTEXT=eu npm start',
  },
  {
    title: 'Only to look',
    text: 'Nothing is ever written to the cluster then, not even a dry run.',
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
          What you see is a sandbox: an API server and controllers inside the process of Shiplog, and a shop
          that never was. Stop Shiplog where you started it, and start it in one of these ways:
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
          The sandbox stays as you leave it: <CodeText>npm start -- --sandbox</CodeText> brings it back, and
          with <CodeText>--reset</CodeText> it starts over. kubectl works on it too; its kubeconfig is named
          where Shiplog was started.
        </p>
      </DialogSection>
    </Dialog>
  );
}
