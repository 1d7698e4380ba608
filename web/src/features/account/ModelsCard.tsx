import { Button, Card, Group, Text, TextInput, Title } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../../components/display/copy.tsx';
import { Tag } from '../../components/display/Tag.tsx';
import { Empty, Loaded } from '../../components/layout/list-states.tsx';
import { say } from '../../components/layout/toasts.tsx';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import { modelsReading } from './calls.ts';

/** Models shown before the list is expanded. */
const SHOWN_MODELS = 10;

export function ModelsCard() {
  const { t } = useTranslation();
  const query = useQuery(modelsReading);
  return (
    <Card component="section" aria-label={t('account.models')}>
      <Group justify="space-between" mb="xs">
        <Title order={2} fz={14}>
          {t('account.models')}
        </Title>
        {query.data !== undefined && (
          <Text size="xs" c="dimmed">
            {query.data.length}
          </Text>
        )}
      </Group>
      <Loaded query={query}>
        {(models) =>
          models.length === 0 ? (
            <Empty title={t('account.noModels')} text={t('account.noModelsHint')} />
          ) : (
            <Models models={models} />
          )
        }
      </Loaded>
    </Card>
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
    if (await copyText(model)) say.success(t('account.modelCopied', { model }));
  };
  return (
    <>
      {models.length > SHOWN_MODELS && (
        <TextInput
          mb="xs"
          aria-label={t('account.searchModels')}
          placeholder={t('account.searchModels')}
          leftSection={<IconSearch size={16} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <Group gap={6}>
        {shown.map((model) => (
          <Tag key={model} mono tone="blue" onClick={() => void copy(model)}>
            {model}
          </Tag>
        ))}
        {found.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('account.noModelFound')}
          </Text>
        )}
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
