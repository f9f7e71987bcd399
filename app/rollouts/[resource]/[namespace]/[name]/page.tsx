import { type Metadata } from 'next';
import { type RolloutRef } from '@/components/queries/rollouts';
import { ReleaseClient } from './release-client';

interface PageProps {
  params: Promise<{ [Part in keyof RolloutRef]: string }>;
}

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  const { namespace, name } = await readRef(params);
  return { title: `Rollout ${namespace}/${name}` };
}

export default async function ReleasePage({ params }: PageProps) {
  const rollout = await readRef(params);
  return <ReleaseClient key={Object.values(rollout).join('/')} rollout={rollout} />;
}

async function readRef(params: PageProps['params']): Promise<RolloutRef> {
  const { resource, namespace, name } = await params;
  return {
    resource: decodeURIComponent(resource),
    namespace: decodeURIComponent(namespace),
    name: decodeURIComponent(name),
  };
}
