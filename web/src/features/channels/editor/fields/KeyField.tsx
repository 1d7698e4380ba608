import {
  Button,
  Checkbox,
  Group,
  Input,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
} from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { splitKeys, splitKeyText } from '../../../../../../src/domain/channels/channel-keys.ts';
import { isSuperAdmin } from '../../../../../../src/domain/roles.ts';
import { StatusBadge } from '../../../../components/display/StatusBadge.tsx';
import { KeyList } from '../../../../components/forms/KeyList.tsx';
import { useAction } from '../../../../hooks/useAction.ts';
import { usePrivacy } from '../../../../lib/display/privacy.ts';
import { useUser } from '../../../../lib/session/session.ts';
import { dateTimeText } from '../../../../lib/text/dates.ts';
import { type Channel, channels } from '../../calls.ts';
import classes from '../ChannelEditor.module.css';
import { useChannelTypes } from '../useChannelTypes.ts';
import type { FieldsProps } from './fields-props.ts';

/** One key or several: a text view and a list view of the same value. */
export function KeyField({ form, channel }: FieldsProps) {
  const { t } = useTranslation();
  const [isList, setList] = useState(false);
  const { key, type, isBatch } = form.values;
  const isOptional = useChannelTypes().get(type)?.key_optional ?? false;
  const keys = splitKeys(key);
  const label = t('channel.field.key');
  const isNew = channel === undefined;
  const hint = isNew
    ? t(isOptional ? 'channel.key.anyHint' : 'channel.key.hint')
    : t('channel.key.keep');
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Input.Label required={isNew && !isOptional} labelElement="div">
          {label}
        </Input.Label>
        <SegmentedControl
          size="xs"
          aria-label={t('channel.key.view')}
          value={isList ? 'list' : 'text'}
          onChange={(view) => setList(view === 'list')}
          data={[
            { value: 'text', label: t('common.text') },
            { value: 'list', label: t('channel.key.list') },
          ]}
        />
      </Group>
      {isList ? (
        <>
          <KeyList
            label={t('channel.key.paste')}
            keys={keys}
            onChange={(next) => form.setFieldValue('key', next.join('\n'))}
          />
          {form.errors.key !== undefined && <Input.Error>{form.errors.key}</Input.Error>}
        </>
      ) : (
        <KeyText form={form} hint={hint} label={label} />
      )}
      {isNew && keys.length > 1 && (
        <Checkbox
          label={t('channel.key.batch', { count: keys.length })}
          description={t('channel.key.batchHint')}
          checked={isBatch}
          onChange={(event) => form.setFieldValue('isBatch', event.currentTarget.checked)}
        />
      )}
      {channel && (
        <StoredKeys channel={channel} onReveal={(text) => form.setFieldValue('key', text)} />
      )}
    </Stack>
  );
}

interface KeyTextProps {
  readonly form: FieldsProps['form'];
  readonly label: string;
  readonly hint: string;
}

/** A textarea, because an input would drop the line breaks of pasted text. */
function KeyText({ form, label, hint }: KeyTextProps) {
  const isHidden = usePrivacy();
  return (
    <Textarea
      aria-label={label}
      description={hint}
      autosize
      minRows={1}
      maxRows={8}
      autoComplete="off"
      spellCheck={false}
      classNames={{ input: classes.key ?? '' }}
      data-hidden={isHidden || undefined}
      {...form.getInputProps('key')}
    />
  );
}

interface StoredKeysProps {
  readonly channel: Channel;
  readonly onReveal: (keys: string) => void;
}

/** The stored keys, masked; revealing them needs the permission and is audited. */
function StoredKeys({ channel, onReveal }: StoredKeysProps) {
  const { t } = useTranslation();
  const mayReveal = isSuperAdmin(useUser()?.role ?? 0);
  const reveal = useAction(() => channels.get({ id: channel.id, reveal: true }), {
    onDone: ({ key }) => onReveal(splitKeyText(key).join('\n')),
  });
  return (
    <Stack gap={4}>
      <Group gap="xs" justify="space-between">
        <Text size="xs" c="dimmed">
          {t('channel.key.stored', { count: channel.keys.length })}
        </Text>
        {mayReveal && (
          <Button
            size="compact-xs"
            variant="default"
            loading={reveal.isPending}
            onClick={() => reveal.mutate(undefined)}
          >
            {t('channel.key.reveal')}
          </Button>
        )}
      </Group>
      <div className={classes.keys}>
        {channel.keys.map(({ id, hint, status, reason, ...rest }) => (
          <Group key={id} gap="xs" wrap="nowrap">
            <Text size="xs" ff="monospace">
              {hint}
            </Text>
            {status !== 1 && (
              <StatusBadge of="channel" status={status} hint={reason === '' ? undefined : reason} />
            )}
            {rest.resting_until * 1000 > Date.now() && (
              <Text size="xs" c="dimmed" title={rest.rest_reason}>
                {t('channel.key.rests', { until: dateTimeText(rest.resting_until) })}
              </Text>
            )}
          </Group>
        ))}
      </div>
    </Stack>
  );
}
