/** The filters of the Runs list, kept in the address so that a view can be linked and gone back to. */

import { LANE_NAMES, OUTCOMES, STAGES } from '@rcpt/contract/words.ts';
import { useSearchParams } from 'wouter';
import type { RunFilters } from '../../api/queries.ts';

export function useRunFilters(): [RunFilters, (change: Partial<Record<keyof RunFilters, string>>) => void] {
  const [params, setParams] = useSearchParams();
  const filters: RunFilters = {
    lane: LANE_NAMES.find((lane) => lane === params.get('lane')),
    stage: STAGES.find((stage) => stage === params.get('stage')),
    outcome: OUTCOMES.find((outcome) => outcome === params.get('outcome')),
    search: params.get('search')?.slice(0, 200) || undefined,
  };
  const change = (to: Partial<Record<keyof RunFilters, string>>) =>
    setParams(
      (before) => {
        for (const [name, value] of Object.entries(to)) {
          if (value) before.set(name, value);
          else before.delete(name);
        }
        return before;
      },
      { replace: true },
    );
  return [filters, change];
}

export function isFiltered(filters: RunFilters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}
