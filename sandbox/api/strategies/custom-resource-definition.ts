import { type RestStrategy } from '@/sandbox/api/objects/resource-kind';
import { invalidValue } from '@/sandbox/api/objects/validation';
import { objectOrEmptyAt, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';

/** https://github.com/kubernetes/apiextensions-apiserver/tree/master/pkg/controller/establish */
export const customResourceDefinitionStrategy: RestStrategy = {
  prepareCreate(definition, { time }) {
    definition.status = {
      conditions: [
        condition('NamesAccepted', 'NoConflicts', 'no conflicts found', time),
        condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted', time),
      ],
      acceptedNames: objectOrEmptyAt(definition.spec, 'names'),
    };
  },
  validate({ metadata, spec }) {
    const expected = `${textOrEmptyAt(spec, 'names', 'plural')}.${textOrEmptyAt(spec, 'group')}`;
    return metadata.name === expected
      ? []
      : [invalidValue('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group')];
  },
};

function condition(type: string, reason: string, message: string, time: string) {
  return { lastTransitionTime: time, message, reason, status: 'True', type };
}
