'use client';

import { useRef, useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { Button } from '@/components/ui/button';
import { CodeText } from '@/components/ui/code-text';
import { Dialog, DialogActions, DialogSection } from '@/components/ui/dialog';
import { errorText } from '@/components/ui/error-state';
import { Field, Input } from '@/components/ui/input';
import { type SignInRequest } from '@/lib/api/session';

/** Takes the credential that this Shiplog requires. */
export function SignIn({
  signIn,
  error,
}: {
  signIn: (credential: SignInRequest) => Promise<void>;
  /** Why the key in the URL was not accepted. */
  error: unknown;
}) {
  const { data: session } = useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => apiFetch('GET /api/session', { signal }),
  });
  if (session?.mode !== 'local') return null;
  return <LocalSignIn signIn={signIn} error={error} />;
}

function LocalSignIn({ signIn, error }: React.ComponentProps<typeof SignIn>) {
  const [key, setKey] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const attempt = useMutation({ mutationFn: () => signIn({ key }) });
  const problem = attempt.error ?? error;
  return (
    <Dialog
      open
      onOpenChange={() => undefined}
      title="Sign in"
      size="small"
      dismissible={false}
      closable={false}
      initialFocus={field}
      footer={
        <DialogActions>
          <Button tone="primary" type="submit" form="sign-in" disabled={key === '' || attempt.isPending}>
            Sign in
          </Button>
        </DialogActions>
      }
    >
      <DialogSection className="grid gap-4 pt-0">
        <p className="text-ink-2">
          Open the URL that <CodeText>npm start</CodeText> printed, or enter the key: the contents of{' '}
          <CodeText>local-key</CodeText> in the data directory.
        </p>
        <form
          id="sign-in"
          onSubmit={(event) => {
            event.preventDefault();
            attempt.mutate();
          }}
        >
          <Field label="Key" {...(problem ? { error: errorText(problem) } : {})}>
            {(props) => (
              <Input
                {...props}
                ref={field}
                type="password"
                autoComplete="off"
                value={key}
                onChange={({ target }) => setKey(target.value)}
              />
            )}
          </Field>
        </form>
      </DialogSection>
    </Dialog>
  );
}
