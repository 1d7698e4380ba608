import { MultiSelect, Text } from '@mantine/core';
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

/** Value of the option that selects all listed models. No model has an empty name. */
const ALL = '';

/** The models a token is limited to: with search, vendor groups and selection of all matches. */
export function TokenModelsInput({ value, error, onChange }: ModelsInputProps) {
  const { t } = useTranslation();
  const { data: models = [], isPending } = useQuery(callableModelsQuery);
  const [search, setSearch] = useState('');
  const [isOpen, setOpen] = useState(false);
  const all = [...new Set([...models, ...value])];
  const wanted = search.trim().toLowerCase();
  const found = all.filter((model) => model.toLowerCase().includes(wanted));
  const left = found.filter((model) => !value.includes(model));
  const allText =
    wanted === ''
      ? t('token.allModels', { count: all.length })
      : t('token.allMatching', { count: found.length });
  const chosen =
    all.length === 0 ? t('token.noModels') : t('token.chosenModels', { count: value.length });
  const change = (models: readonly string[]) => {
    if (!models.includes(ALL)) return onChange(models);
    setOpen(false);
    onChange([...value, ...left]);
  };
  return (
    <MultiSelect
      label={t('common.models')}
      placeholder={value.length === 0 ? t('common.searchModels') : ''}
      description={isPending ? t('part.loading') : chosen}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      error={error}
      data={[
        ...(left.length > 0 ? [{ value: ALL, label: allText }] : []),
        ...modelsByVendor(found).map(({ vendor, models }) => ({
          group: vendor === OTHER_VENDOR ? t('token.otherVendor') : vendor,
          items: [...models],
        })),
      ]}
      // Inside the list, because the list covers what stands below the input.
      renderOption={({ option }) =>
        option.value === ALL ? (
          <Text inherit fw={500} c="var(--mantine-color-anchor)">
            {option.label}
          </Text>
        ) : (
          option.label
        )
      }
      value={[...value]}
      onChange={change}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      searchable
      clearable
      hidePickedOptions
      filter={({ options }) => options}
      searchValue={search}
      onSearchChange={setSearch}
      nothingFoundMessage={t('common.noSuchModel')}
      maxDropdownHeight={280}
      styles={{ pillsList: { maxHeight: 132, overflowY: 'auto' } }}
    />
  );
}
