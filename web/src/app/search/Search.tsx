import { createSpotlight, Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useReturnFocus } from '../../hooks/useReturnFocus.ts';
import { linkTo } from '../../lib/browser/page-links.ts';
import '@mantine/spotlight/styles.layer.css';
import { useDebouncedValue } from '@mantine/hooks';
import {
  IconKey,
  IconLanguage,
  IconMoon,
  IconPlus,
  IconRoute,
  IconSearch,
  IconSun,
  IconUsers,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { tokenCalls } from '../../../../src/api/accounts/token.ts';
import { userCalls } from '../../../../src/api/accounts/user.ts';
import { channelCalls } from '../../../../src/api/channels/channel.ts';
import { chooseOwnLanguage } from '../../lib/api/account-language.ts';
import { client } from '../../lib/api/api.ts';
import { useTheme } from '../../lib/display/theme.ts';
import { useIsAdmin } from '../../lib/session/session.ts';
import { useNavigationGroups } from '../routing/navigation.ts';

const channels = client({ search: channelCalls.search });
const users = client({ search: userCalls.search });
const tokens = client({ search: tokenCalls.search });

const DEBOUNCE_MS = 250;
const FOUND = 5;
const [store, spotlight] = createSpotlight();

interface ActionGroup {
  readonly group: string;
  readonly actions: SpotlightActionData[];
}

/** The Ctrl+K search: pages, create actions, switches and, for admins, records by name or id. */
export function Search({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const [query, setQuery] = useState('');
  useReturnFocus();
  const groups = [usePages(), useCreating(), useSwitches(), useFound(query)];
  // After the effect of the list that names it to the store.
  useEffect(selectFirst);
  useEffect(() => {
    spotlight.open();
    return spotlight.close;
  }, []);
  return (
    <Spotlight
      store={store}
      actions={groups.filter(({ actions }) => actions.length > 0)}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      limit={30}
      scrollable
      maxHeight={420}
      highlightQuery
      nothingFound={t('common.nothingFound')}
      onSpotlightClose={onClose}
      attributes={{ content: { 'aria-label': t('shell.find.placeholder') } }}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: t('shell.find.placeholder'),
        'aria-label': t('shell.find.placeholder'),
      }}
    />
  );
}

/** Mantine selects while typing; where only records match, they arrive later. */
function selectFirst(): void {
  const list = document.getElementById(store.getState().listId);
  const first = list?.querySelector('[data-action]');
  if (!first || list?.querySelector('[data-selected]')) return;
  first.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected: 0 }));
}

function usePages(): ActionGroup {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const items = useNavigationGroups(useIsAdmin()).flatMap((group) => group.items);
  const actions = items.map(({ path, name, icon: Icon }) => ({
    id: path,
    label: t(`nav.${name}`),
    keywords: [path],
    leftSection: <Icon size={18} />,
    onClick: () => void navigate(path),
  }));
  return { group: t('shell.find.places'), actions };
}

const CREATING = [
  { name: 'token', path: linkTo('/app/tokens', { id: 'new' }), isForAdmins: false },
  { name: 'channel', path: linkTo('/admin/channels', { id: 'new' }), isForAdmins: true },
  { name: 'code', path: linkTo('/admin/coupons', { id: 'new' }), isForAdmins: true },
  { name: 'user', path: linkTo('/admin/users', { id: 'new' }), isForAdmins: true },
  { name: 'message', path: linkTo('/admin/messages', { id: 'new' }), isForAdmins: true },
] as const;

function useCreating(): ActionGroup {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const actions = CREATING.filter(({ isForAdmins }) => isAdmin || !isForAdmins).map(
    ({ name, path }) => ({
      id: path,
      label: t(`shell.make.${name}`),
      leftSection: <IconPlus size={18} />,
      onClick: () => void navigate(path),
    }),
  );
  return { group: t('shell.find.make'), actions };
}

function useSwitches(): ActionGroup {
  const { t, i18n } = useTranslation();
  const { isDark, toggle } = useTheme();
  return {
    group: t('shell.find.look'),
    actions: [
      {
        id: 'theme',
        label: t(isDark ? 'shell.theme.light' : 'shell.theme.dark'),
        leftSection: isDark ? <IconSun size={18} /> : <IconMoon size={18} />,
        onClick: toggle,
      },
      {
        id: 'language',
        label: t('shell.language'),
        leftSection: <IconLanguage size={18} />,
        onClick: () => chooseOwnLanguage(i18n.language === 'en' ? 'zh' : 'en'),
      },
    ],
  };
}

/** Queries the three lists separately, so that a failed or slow one does not affect the others. */
function useFound(typed: string): ActionGroup {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const [keyword] = useDebouncedValue(typed.trim(), DEBOUNCE_MS);
  const { data = [] } = useQuery({
    queryKey: ['shell', 'find', keyword],
    enabled: keyword !== '',
    queryFn: async ({ signal }) => {
      const query = { keyword, p: 1, page_size: FOUND };
      const [ofTokens, ofChannels, ofUsers] = await Promise.allSettled([
        tokens.search(query, { signal }),
        isAdmin ? channels.search(query, { signal }) : undefined,
        isAdmin ? users.search(query, { signal }) : undefined,
      ]);
      return [
        ...found(ofTokens).map(({ id, name }) => ({ kind: 'token' as const, id, name })),
        ...found(ofChannels).map(({ id, name }) => ({ kind: 'channel' as const, id, name })),
        ...found(ofUsers).map(({ id, username }) => ({
          kind: 'user' as const,
          id,
          name: username,
        })),
      ];
    },
  });
  const actions = data.map(({ kind, id, name }) => {
    const { path, icon: Icon } = KINDS[kind];
    return {
      id: `${kind} ${id}`,
      label: name || `#${id}`,
      description: `${t(`shell.find.${kind}`)} #${id}`,
      keywords: [keyword],
      leftSection: <Icon size={18} />,
      onClick: () => void navigate(linkTo(path, { id: String(id) })),
    };
  });
  return { group: t('shell.find.found'), actions };
}

const KINDS = {
  token: { path: '/app/tokens', icon: IconKey },
  channel: { path: '/admin/channels', icon: IconRoute },
  user: { path: '/admin/users', icon: IconUsers },
} as const;

function found<T>(outcome: PromiseSettledResult<{ readonly items: readonly T[] } | undefined>) {
  return outcome.status === 'fulfilled' ? (outcome.value?.items ?? []) : [];
}
