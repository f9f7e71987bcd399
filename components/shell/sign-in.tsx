'use client';

import { useRef, useState } from 'react';
import { usePathname, useSearchParams } from 'next/navigation';
import { useMutation, useQuery } from '@tanstack/react-query';
import { sessionQuery } from '@/components/queries/session';
import { Button, buttonClass } from '@/components/ui/button';
import { CodeText } from '@/components/ui/code-text';
import { Dialog, DialogActions, DialogSection } from '@/components/ui/dialog';
import { errorText } from '@/components/ui/error-state';
import { Field, Input } from '@/components/ui/input';
import type { Session, SignInRequest } from '@/lib/api/session';

interface SignInProps {
  signIn: (credential: SignInRequest) => Promise<void>;
  /** Why the key in the URL was not accepted. */
  error: unknown;
  /** Null where nothing is shown without a sign-in. */
  onClose: (() => void) | null;
}

/** Takes the credential that this Shiplog requires. */
export function SignIn({ signIn, error, onClose }: SignInProps) {
  const { data: session } = useQuery(sessionQuery());
  const cluster = useSearchParams().get('cluster') ?? '';
  switch (session?.mode) {
    case 'local':
      return (
        <SignInDialog
          label="Key"
          error={error}
          onClose={onClose}
          submit={(key) => signIn({ key })}
          explanation={
            <>
              Open the URL that <CodeText>npm start</CodeText> printed, or enter the key: the contents of{' '}
              <CodeText>local-key</CodeText> in the data directory.
            </>
          }
        />
      );
    case 'token':
      return (
        <SignInDialog
          label="Token"
          error={error}
          onClose={onClose}
          cluster={session.namesCluster ? cluster : undefined}
          submit={(token, name) => signIn({ token, ...(name !== undefined && { cluster: name }) })}
          explanation={
            <>
              Paste a bearer token of the cluster. Shiplog reads and acts with it, so you see and do what it
              allows. For example, a service account gives one with{' '}
              <CodeText>kubectl create token NAME --namespace NAMESPACE</CodeText>.
            </>
          }
        />
      );
    case 'oidc':
      return <ProviderDialog provider={session.provider ?? 'the identity provider'} />;
    case 'proxy-jwt':
    case 'proxy-headers':
      return <NotSignedIn problem={session.problem} />;
    default:
      return null;
  }
}

/** The browser leaves the page, and returns to it. */
function ProviderDialog({ provider }: { provider: string }) {
  const link = useRef<HTMLAnchorElement>(null);
  const path = usePathname();
  const query = useSearchParams().toString();
  const current = query === '' ? path : `${path}?${query}`;
  return (
    <Dialog
      open
      onOpenChange={() => {}}
      title="Sign in"
      size="small"
      dismissible={false}
      closable={false}
      initialFocus={link}
      footer={
        <DialogActions>
          <a
            ref={link}
            href={`/sign-in?return=${encodeURIComponent(current)}`}
            className={buttonClass('primary', 'normal', false)}
          >
            Sign in with {provider}
          </a>
        </DialogActions>
      }
    >
      <DialogSection className="pt-0">
        <p className="text-ink-2">Shiplog shows and changes what your account is allowed to.</p>
      </DialogSection>
    </Dialog>
  );
}

/** Without the proxy no one can sign in; with it, loading the page again leads to its own sign-in. */
function NotSignedIn({ problem }: Pick<Session, 'problem'>) {
  const reload = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      open
      onOpenChange={() => {}}
      title="You are not signed in"
      size="small"
      dismissible={false}
      closable={false}
      initialFocus={reload}
      footer={
        <DialogActions>
          <Button ref={reload} tone="primary" onClick={() => location.reload()}>
            Load again
          </Button>
        </DialogActions>
      }
    >
      <DialogSection className="pt-0">
        <p className="text-ink-2">{problem ?? 'The proxy in front of Shiplog signs people in.'}</p>
      </DialogSection>
    </Dialog>
  );
}

function SignInDialog({
  label,
  explanation,
  error,
  cluster: firstCluster,
  onClose,
  submit,
}: Pick<SignInProps, 'error' | 'onClose'> & {
  label: string;
  explanation: React.ReactNode;
  /** The cluster that is offered; undefined where there is one only. */
  cluster?: string;
  submit: (secret: string, cluster: string | undefined) => Promise<void>;
}) {
  const [secret, setSecret] = useState('');
  const [cluster, setCluster] = useState(firstCluster);
  const field = useRef<HTMLInputElement>(null);
  const attempt = useMutation({ mutationFn: () => submit(secret, cluster) });
  const problem = attempt.error ?? error;
  const isComplete = secret.trim() !== '' && cluster !== '';
  return (
    <Dialog
      open
      onOpenChange={() => onClose?.()}
      title="Sign in"
      size="small"
      dismissible={false}
      closable={onClose !== null}
      initialFocus={field}
      footer={
        <DialogActions>
          <Button tone="primary" type="submit" form="sign-in" disabled={!isComplete || attempt.isPending}>
            Sign in
          </Button>
        </DialogActions>
      }
    >
      <DialogSection className="grid gap-4 pt-0">
        <p className="text-ink-2">{explanation}</p>
        <form
          id="sign-in"
          className="grid gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            attempt.mutate();
          }}
        >
          {cluster !== undefined && (
            <Field label="Cluster">
              {(props) => (
                <Input {...props} value={cluster} onChange={({ target }) => setCluster(target.value)} />
              )}
            </Field>
          )}
          <Field label={label} {...(problem ? { error: errorText(problem) } : {})}>
            {(props) => (
              <Input
                {...props}
                ref={field}
                type="password"
                autoComplete="off"
                value={secret}
                onChange={({ target }) => setSecret(target.value)}
              />
            )}
          </Field>
        </form>
      </DialogSection>
    </Dialog>
  );
}
