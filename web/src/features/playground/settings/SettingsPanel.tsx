import { Group, NumberInput, Select, Slider, Stack, Switch, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { memo, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { RatioTag } from '../../../components/display/tag-lists.tsx';
import { chatModelsQuery, selectableGroupsQuery } from '../../../lib/api/account.ts';
import { useUser } from '../../../lib/session/session.ts';
import { ModelSelect } from './ModelSelect.tsx';
import { Presets } from './Presets.tsx';
import type { SettingsState } from './usePlaygroundSettings.ts';

const MIN_TEMPERATURE = 0.1;
const MAX_TOKENS = 1_000_000;

interface SettingsPanelProps {
  readonly settings: SettingsState;
}

export const SettingsPanel = memo(function SettingsPanel({ settings }: SettingsPanelProps) {
  const { t } = useTranslation();
  const { value, change, reset } = settings;
  return (
    <Stack gap="md">
      <GroupSelect value={value.group} onChange={(group) => change({ group })} />
      <ModelSelect
        value={value.model}
        group={value.group}
        onChange={(model) => change({ model })}
      />
      <OtherModel settings={settings} />
      <Temperature value={value.temperature} onChange={(temperature) => change({ temperature })} />
      <NumberInput
        label={t('playground.maxTokens')}
        description={t('playground.maxTokens.hint')}
        min={0}
        max={MAX_TOKENS}
        allowNegative={false}
        value={value.maxTokens}
        onChange={(next) => change({ maxTokens: Number(next) || 0 })}
      />
      <Textarea
        label={t('common.systemPrompt')}
        placeholder={t('playground.system.hint')}
        minRows={3}
        maxRows={10}
        value={value.system}
        onChange={(event) => change({ system: event.currentTarget.value })}
      />
      <Presets settings={settings} />
      <SideButton label={t('action.reset')} onClick={reset} />
    </Stack>
  );
});

/** Selects an optional second model that answers too: at first one that differs from the first. */
function OtherModel({ settings: { value, other, compare } }: SettingsPanelProps) {
  const { t } = useTranslation();
  const own = useUser()?.group ?? '';
  const { data: models = [] } = useQuery(chatModelsQuery(value.group, own));
  const alternative = models.find((model) => model !== value.model);
  return (
    <Stack gap="xs">
      <Switch
        label={t('playground.compare')}
        checked={other !== ''}
        disabled={other === '' && alternative === undefined}
        onChange={(event) => compare((event.currentTarget.checked && alternative) || '')}
      />
      {other !== '' && (
        <ModelSelect
          label={t('playground.other')}
          value={other}
          group={value.group}
          onChange={compare}
        />
      )}
    </Stack>
  );
}

interface TemperatureProps {
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** 0, the default, until the slider is moved; the slider cannot return to 0. */
function Temperature({ value, onChange }: TemperatureProps) {
  const { t } = useTranslation();
  const label = useId();
  return (
    <div>
      <Text fw={500} id={label} mb={6}>
        {value === 0 ? t('playground.temperature.default') : t('playground.temperature', { value })}
      </Text>
      <Slider
        aria-labelledby={label}
        thumbLabel={t('playground.temperature', { value })}
        label={null}
        min={MIN_TEMPERATURE}
        max={1}
        step={0.1}
        value={Math.max(MIN_TEMPERATURE, value)}
        onChange={(next) => onChange(Number(next.toFixed(1)))}
      />
    </div>
  );
}

interface GroupSelectProps {
  /** '' is the user's own group. */
  readonly value: string;
  readonly onChange: (group: string) => void;
}

/** The group that routes and prices the calls. */
function GroupSelect({ value, onChange }: GroupSelectProps) {
  const { t } = useTranslation();
  const own = useUser()?.group ?? '';
  const { data: groups = {} } = useQuery(selectableGroupsQuery);
  const chosen = value || own;
  const names = [...new Set([...Object.keys(groups), chosen])].filter((name) => name !== '');
  return (
    <Select
      label={t('common.group')}
      searchable={names.length > 8}
      data={names}
      value={chosen}
      onChange={(next) => onChange(next === null || next === own ? '' : next)}
      renderOption={({ option }) => {
        const group = groups[option.value];
        return (
          <Group justify="space-between" wrap="nowrap" flex={1} miw={0}>
            <div style={{ minWidth: 0 }}>
              <Text truncate>{option.label}</Text>
              {group && group.desc !== option.value && <Dimmed truncate>{group.desc}</Dimmed>}
            </div>
            {group?.ratio !== undefined && <RatioTag ratio={group.ratio} />}
          </Group>
        );
      }}
    />
  );
}
