/**
 * What a revision of an Application records, in the notation of the pod template's table: only the keys of
 * its list entries. Properties are defined by definitions, and compared as they are.
 * https://kubevela.io/docs/core-concepts/application
 */
export const APPLICATION_FIELDS = `
ApplicationRecord: application*OamApplication
OamApplication: components[]OamComponent(name) policies[]OamPolicy(name) workflow*OamWorkflow
OamComponent: name type traits[]OamTrait(type)
OamTrait: type
OamPolicy: name type
OamWorkflow: steps[]OamStep(name)
OamStep: name type subSteps[]OamStep(name)
`;
