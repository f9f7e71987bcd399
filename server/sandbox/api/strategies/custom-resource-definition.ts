import { type Strategy } from '@/server/sandbox/api/resource-kind';
import { invalidValue } from '@/server/sandbox/api/validation';
import { objectAt, textAt } from '@/server/sandbox/api/stored-object';

/** https://github.com/kubernetes/apiextensions-apiserver/tree/master/pkg/controller/establish */
export const customResourceDefinitionStrategy: Strategy = {
  prepareCreate(definition, { time }) {
    definition.status = {
      conditions: [
        condition('NamesAccepted', 'NoConflicts', 'no conflicts found', time),
        condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted', time),
      ],
      acceptedNames: objectAt(definition.spec, 'names'),
    };
  },
  validate({ metadata, spec }) {
    const expected = `${textAt(spec, 'names', 'plural')}.${textAt(spec, 'group')}`;
    return metadata.name === expected
      ? []
      : [invalidValue('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group')];
  },
};

function condition(type: string, reason: string, message: string, time: string) {
  return { lastTransitionTime: time, message, reason, status: 'True', type };
}
