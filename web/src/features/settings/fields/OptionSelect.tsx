import { Select, type SelectProps } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { OPTION_KEYS } from '../../../../../src/domain/options/registry.ts';
import { visibleKeys } from '../sections/draft.ts';
import { useSettings } from '../sections/settings-store.ts';
import { type FormKey, locationOf, TAB_NAMES } from '../sections/tabs.ts';
import { isFormKey } from './field-texts.ts';

interface OptionSelectProps extends Pick<SelectProps, 'w' | 'clearable'> {
  readonly label: string;
  readonly value: FormKey | null;
  readonly onChange: (key: FormKey | null) => void;
  /** The target of the `/` shortcut. */
  readonly isPageSearch?: boolean;
}

/** Selects one of the options the user may see, searchable by name and key. */
export function OptionSelect(props: OptionSelectProps) {
  const { label, value, onChange, isPageSearch = false, ...rest } = props;
  const { t } = useTranslation();
  const { role } = useSettings();
  const keys = visibleKeys(OPTION_KEYS.filter(isFormKey), role);
  const data = TAB_NAMES.map((tab) => ({
    group: t(`setting.tab.${tab}`),
    items: keys
      .filter((key) => locationOf(key).tab === tab)
      .map((key) => ({ value: key, label: `${t(`setting.name.${key}`)} · ${key}` })),
  }));
  return (
    <Select
      allowDeselect
      {...rest}
      aria-label={label}
      placeholder={label}
      data-page-search={isPageSearch || undefined}
      searchable
      leftSection={<IconSearch size={16} />}
      nothingFoundMessage={t('setting.find.none')}
      data={data}
      value={value}
      maxDropdownHeight={360}
      onChange={(key) => onChange(key !== null && isFormKey(key) ? key : null)}
    />
  );
}
