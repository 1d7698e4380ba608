import { Button, Group, MultiSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { modelsByVendor, OTHER_VENDOR } from '../../../../../src/domain/channels/model-vendors.ts';
import { callableModelsQuery } from '../../../lib/api/account.ts';

interface ModelsInputProps {
  readonly value: readonly string[];
  readonly error: ReactNode;
  readonly onChange: (models: readonly string[]) => void;
}

/** The models a token is limited to: with search, vendor groups and selection of all matches. */
export function TokenModelsInput({ value, error, onChange }: ModelsInputProps) {
  const { t } = useTranslation();
  const { data: models = [], isPending } = useQuery(callableModelsQuery);
  const [search, setSearch] = useState('');
  const all = [...new Set([...models, ...value])];
  const wanted = search.trim().toLowerCase();
  const found = all.filter((model) => model.toLowerCase().includes(wanted));
  const isNew = found.some((model) => !value.includes(model));
  return (
    <Stack gap={6}>
      <MultiSelect
        label={t('token.models')}
        placeholder={value.length === 0 ? t('token.modelsHint') : ''}
        description={
          isPending ? t('part.loading') : t('token.chosenModels', { count: value.length })
        }
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        error={error}
        data={modelsByVendor(all).map(({ vendor, models }) => ({
          group: vendor === OTHER_VENDOR ? t('token.otherVendor') : vendor,
          items: [...models],
        }))}
        value={[...value]}
        onChange={onChange}
        searchable
        clearable
        hidePickedOptions
        searchValue={search}
        onSearchChange={setSearch}
        nothingFoundMessage={t('token.noSuchModel')}
        maxDropdownHeight={280}
        styles={{ pillsList: { maxHeight: 132, overflowY: 'auto' } }}
      />
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          disabled={!isNew}
          // Blur would clear the search before the press is handled.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChange([...new Set([...value, ...found])])}
        >
          {wanted === ''
            ? t('token.allModels', { count: all.length })
            : t('token.allMatching', { count: found.length })}
        </Button>
        {models.length === 0 && !isPending && (
          <Text size="xs" c="dimmed">
            {t('token.noModels')}
          </Text>
        )}
      </Group>
    </Stack>
  );
}
