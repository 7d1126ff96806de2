import { Refusal } from '@rcpt/service/error.ts';

export function noOrganization(id: string): Refusal {
  return new Refusal('not_found', `There is no organization ${id}. Settings, Organization shows its id.`);
}
