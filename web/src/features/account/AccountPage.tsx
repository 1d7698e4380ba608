import { Avatar, Button, Card, Group, SimpleGrid, Stack, Title } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isSuperAdmin } from '../../../../src/domain/roles.ts';
import { numberText } from '../../../../src/domain/text/number-text.ts';
import { copyText } from '../../components/display/copy.tsx';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { Figure } from '../../components/display/Figure.tsx';
import { QuotaText } from '../../components/display/QuotaText.tsx';
import { Tag } from '../../components/display/Tag.tsx';
import { GroupTag, RoleTag } from '../../components/display/tag-lists.tsx';
import { SearchInput } from '../../components/forms/SearchInput.tsx';
import { Empty, Loaded } from '../../components/layout/list-states.tsx';
import { PageHeader } from '../../components/layout/PageHeader.tsx';
import { TitledCard } from '../../components/layout/TitledCard.tsx';
import { toast } from '../../components/layout/toasts.tsx';
import { callableModelsQuery, type Self, selfQuery } from '../../lib/api/account.ts';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import { usePrivacy } from '../../lib/display/privacy.ts';
import { useIsPhone } from '../../lib/display/screen.ts';
import { useUser } from '../../lib/session/session.ts';
import { useStatus } from '../../lib/site/status.ts';
import { CheckInCard } from './CheckInCard.tsx';
import { InviteCard } from './InviteCard.tsx';
import { SettingsTabs } from './SettingsTabs.tsx';

/** The user's account: balance, models and own settings. */
export function AccountPage() {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const status = useStatus();
  const query = useQuery(selfQuery(useUser()?.id ?? 0));
  return (
    <>
      <PageHeader title={t('nav.me')} hint={t('account.hint')} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" style={{ alignItems: 'start' }}>
        {isPhone && <SettingsTabs query={query} />}
        <Stack gap="md" miw={0}>
          <AccountCard query={query} />
          <ModelsCard />
          {status?.check_in_enabled === true && <CheckInCard />}
          {status?.aff_enabled === true && <InviteCard self={query.data} />}
        </Stack>
        {!isPhone && <SettingsTabs query={query} />}
      </SimpleGrid>
    </>
  );
}

function AccountCard({ query }: { readonly query: UseQueryResult<Self> }) {
  const { t } = useTranslation();
  return (
    <Card component="section" aria-label={t('account.tab.account')}>
      <Loaded query={query}>{(self) => <Facts self={self} />}</Loaded>
    </Card>
  );
}

function Facts({ self }: { readonly self: Self }) {
  const { t } = useTranslation();
  const isHidden = usePrivacy();
  const { id, username, display_name, role, group, quota, used_quota, request_count } = self;
  const name = isHidden ? '•••' : display_name || username;
  return (
    <>
      <Group gap="sm" wrap="nowrap">
        <Avatar color="iris" variant="filled" radius="xl" size={44} alt="">
          {isHidden ? '•' : [...name][0]?.toUpperCase()}
        </Avatar>
        <div style={{ minWidth: 0 }}>
          <Group gap={6}>
            <Title order={2} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Title>
            {isSuperAdmin(role) ? (
              <Tag tone="violet">{t('account.administrator')}</Tag>
            ) : (
              <RoleTag role={role} />
            )}
            <GroupTag group={group} />
          </Group>
          <Dimmed size="sm" truncate>
            {isHidden ? '•••' : username} · ID {id}
          </Dimmed>
        </div>
      </Group>
      <SimpleGrid cols={3} spacing="xs" mt="md">
        <Figure fz={20} fw={600} truncate label={t('account.balance')}>
          <QuotaText units={quota} isPrivate />
        </Figure>
        <Figure fz={20} fw={600} truncate label={t('account.spent')}>
          <QuotaText units={used_quota} isPrivate />
        </Figure>
        <Figure fz={20} fw={600} truncate label={t('common.requests')}>
          {numberText(request_count)}
        </Figure>
      </SimpleGrid>
    </>
  );
}

/** Models shown before the list is expanded. */
const SHOWN_MODELS = 10;

function ModelsCard() {
  const { t } = useTranslation();
  const query = useQuery(callableModelsQuery);
  return (
    <TitledCard title={t('account.models')} action={<Dimmed>{query.data?.length}</Dimmed>}>
      <Loaded query={query}>
        {(models) =>
          models.length === 0 ? (
            <Empty title={t('account.noModels')} text={t('account.noModelsHint')} />
          ) : (
            <Models models={models} />
          )
        }
      </Loaded>
    </TitledCard>
  );
}

function Models({ models }: { readonly models: readonly string[] }) {
  const { t } = useTranslation();
  const [isCollapsed, setCollapsed] = useStored(STORED.modelsCollapsed);
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = models.filter((model) => model.toLowerCase().includes(wanted));
  const hasMore = found.length > SHOWN_MODELS;
  const shown = isCollapsed ? found.slice(0, SHOWN_MODELS) : found;
  const copy = async (model: string) => {
    if (await copyText(model)) toast.success(t('account.modelCopied', { model }));
  };
  return (
    <>
      {models.length > SHOWN_MODELS && (
        <SearchInput mb="xs" label={t('common.searchModels')} value={search} onChange={setSearch} />
      )}
      <Group gap={6}>
        {shown.map((model) => (
          <Tag key={model} mono tone="blue" onClick={() => void copy(model)}>
            {model}
          </Tag>
        ))}
        {found.length === 0 && <Dimmed size="sm">{t('common.noSuchModel')}</Dimmed>}
      </Group>
      {hasMore && (
        <Button
          mt="xs"
          style={{ alignSelf: 'flex-start' }}
          size="compact-sm"
          variant="subtle"
          aria-expanded={!isCollapsed}
          leftSection={isCollapsed ? <IconChevronDown size={14} /> : <IconChevronUp size={14} />}
          onClick={() => setCollapsed(!isCollapsed)}
        >
          {isCollapsed
            ? t('account.moreModels', { count: found.length - SHOWN_MODELS })
            : t('account.fewerModels')}
        </Button>
      )}
    </>
  );
}
