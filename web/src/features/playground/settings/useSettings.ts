import { type Dispatch, type SetStateAction, useMemo, useState } from 'react';
import { field, type UrlState, useUrlState } from '../../../lib/browser/url-state.ts';
import { DEFAULTS, type Settings } from '../chat/turns.ts';

/** Model and group can be set by link; the other settings last for this visit. */
const FIELDS = {
  model: field.text(DEFAULTS.model),
  group: field.text(),
  /** A second model that gets the same messages. */
  with: field.text(),
};

const { model: _model, group: _group, ...OWN } = DEFAULTS;

export interface PlaygroundSettings {
  readonly value: Settings;
  /** The second model; '' is none. */
  readonly other: string;
  change(patch: Partial<Settings>): void;
  compare(model: string): void;
  reset(): void;
}

export function useSettings(): PlaygroundSettings {
  const { state, set } = useUrlState(FIELDS);
  const [own, setOwn] = useState(OWN);
  // Memoized, so that the form does not re-render while an answer grows.
  return useMemo(() => {
    const { with: other, ...shared } = state;
    return { value: { ...own, ...shared }, other, ...changes(setOwn, set) };
  }, [own, state, set]);
}

function changes(
  setOwn: Dispatch<SetStateAction<typeof OWN>>,
  set: UrlState<typeof FIELDS>['set'],
): Pick<PlaygroundSettings, 'change' | 'compare' | 'reset'> {
  return {
    change: ({ model, group, ...rest }) => {
      setOwn((own) => ({ ...own, ...rest }));
      const shared = {
        ...(model !== undefined && { model }),
        ...(group !== undefined && { group }),
      };
      if (Object.keys(shared).length > 0) set(shared, { replace: true });
    },
    compare: (model) => set({ with: model }, { replace: true }),
    reset: () => {
      setOwn(OWN);
      set({ model: DEFAULTS.model, group: DEFAULTS.group, with: '' }, { replace: true });
    },
  };
}
