import { isJsonObject, type JsonObject, memberOf } from '@/lib/kube/json';
import { recordedParts } from '@/lib/kube/recorded-parts';

/**
 * What a revision of an Application of KubeVela records: its spec, and what it was rendered with. No pod template has a
 * member of that name, so a body needs nobody to say what it is.
 */
export interface ApplicationBody extends JsonObject {
  /** `spec` of the Application. */
  application: JsonObject;
  /** Specs of the definitions by kind (`component`, `trait`, …) and name. */
  definitions?: JsonObject;
}

export function isApplicationBody(body: JsonObject): body is ApplicationBody {
  return isJsonObject(memberOf(body, 'application'));
}

export interface ComponentImage {
  container: string;
  image: string;
}

/** The image of each component that names one, and those of the pod templates that a component holds as they are. */
export function imagesOfApplication({ application }: ApplicationBody): ComponentImage[] {
  const { components } = application;
  if (!Array.isArray(components)) return [];
  return components.flatMap((component) => {
    const [name, properties] = [memberOf(component, 'name'), memberOf(component, 'properties')];
    if (typeof name !== 'string' || !isJsonObject(properties)) return [];
    const image = memberOf(properties, 'image');
    if (typeof image === 'string') return [{ container: name, image }];
    return imagesWithin(name, properties);
  });
}

function imagesWithin(component: string, properties: JsonObject): ComponentImage[] {
  return recordedParts({ data: properties }).flatMap(({ template: { spec } }) => {
    const containers = memberOf(spec, 'containers');
    if (!Array.isArray(containers)) return [];
    return containers.flatMap((container) => {
      const [name, image] = [memberOf(container, 'name'), memberOf(container, 'image')];
      return typeof name === 'string' && typeof image === 'string'
        ? [{ container: `${component}/${name}`, image }]
        : [];
    });
  });
}
