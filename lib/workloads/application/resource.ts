import { type ResourceType } from '@/lib/workloads/resource';

export const applications: ResourceType = {
  id: 'applications.core.oam.dev',
  group: 'core.oam.dev',
  versions: ['v1beta1'],
  plural: 'applications',
  kind: 'Application',
  isCustom: true,
};

export const applicationRevisionResource: ResourceType = {
  id: 'applicationrevisions.core.oam.dev',
  group: 'core.oam.dev',
  versions: ['v1beta1'],
  plural: 'applicationrevisions',
  kind: 'ApplicationRevision',
  isCustom: true,
};

/** While its value stays, KubeVela goes on with the revision that was made for it, whatever the spec says. */
export const PUBLISH_VERSION = 'app.oam.dev/publishVersion';
export const KUBEVELA_VERSION = 'oam.dev/kubevela-version';
/** Of the controller that alone may act; `Disabled` freezes the Application. */
export const CONTROLLER_REQUIRED = 'app.oam.dev/controller-version-require';
/** Of a revision: tells contents apart, since its name may be used again for another. */
export const REVISION_HASH = 'app.oam.dev/app-revision-hash';
/** Of what an Application has made. */
export const APPLICATION_NAME = 'app.oam.dev/name';
export const APPLICATION_NAMESPACE = 'app.oam.dev/namespace';
export const COMPONENT = 'app.oam.dev/component';
export const APPLICATION_REVISION = 'app.oam.dev/appRevision';
