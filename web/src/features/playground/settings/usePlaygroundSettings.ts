import { useQuery } from '@tanstack/react-query';
import { type Dispatch, type SetStateAction, useMemo, useState } from 'react';
import { chatModelsQuery } from '../../../lib/api/account.ts';
import { PAGE_FIELDS } from '../../../lib/browser/page-links.ts';
import { type UrlState, useUrlState } from '../../../lib/browser/url-state.ts';
import { useUser } from '../../../lib/session/session.ts';
import { DEFAULT_SETTINGS, type PlaygroundSettings } from '../chat/turns.ts';

const { model: _model, group: _group, ...OWN } = DEFAULT_SETTINGS;

export interface SettingsState {
  readonly value: PlaygroundSettings;
  /** The second model; '' is none. */
  readonly other: string;
  change(patch: Partial<PlaygroundSettings>): void;
  compare(model: string): void;
  reset(): void;
}

export function usePlaygroundSettings(): SettingsState {
  const { state, set } = useUrlState(PAGE_FIELDS['/playground']);
  const [own, setOwn] = useState(OWN);
  const ownGroup = useUser()?.group ?? '';
  const { data: models } = useQuery(chatModelsQuery(state.group, ownGroup));
  const model = modelFor(state.model, models);
  // Memoized, so that the form does not re-render while an answer grows.
  return useMemo(() => {
    const { with: other, ...shared } = state;
    return { value: { ...own, ...shared, model }, other, ...changes(setOwn, set) };
  }, [own, state, model, set]);
}

/** Until a model is chosen: the default one, or the first that the group has. */
function modelFor(chosen: string, models: readonly string[] | undefined): string {
  if (chosen !== DEFAULT_SETTINGS.model || models === undefined) return chosen;
  return models.includes(chosen) ? chosen : (models[0] ?? chosen);
}

function changes(
  setOwn: Dispatch<SetStateAction<typeof OWN>>,
  set: UrlState<(typeof PAGE_FIELDS)['/playground']>['set'],
): Pick<SettingsState, 'change' | 'compare' | 'reset'> {
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
      set(
        { model: DEFAULT_SETTINGS.model, group: DEFAULT_SETTINGS.group, with: '' },
        { replace: true },
      );
    },
  };
}
