import { Button, CloseButton, FileButton, Group, Textarea } from '@mantine/core';
import { IconPhoto, IconPlayerStop, IconSend } from '@tabler/icons-react';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { ToolButton } from '../../../components/display/ToolButton.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import classes from '../Playground.module.css';

const MAX_IMAGES = 4;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

interface ComposerProps {
  readonly isBusy: boolean;
  readonly onSend: (text: string, images: readonly string[]) => void;
  readonly onStop: () => void;
}

/** Enter sends and Shift+Enter inserts a line break; during an answer the button stops it. */
export const Composer = memo(function Composer({ isBusy, onSend, onStop }: ComposerProps) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [images, setImages] = useState<readonly string[]>([]);
  const canSend = !isBusy && (text.trim() !== '' || images.length > 0);
  const send = () => {
    if (!canSend) return;
    onSend(text, images);
    setText('');
    setImages([]);
  };
  const attach = async (files: File[]) => {
    const fitting = files.filter(({ size }) => size <= MAX_IMAGE_BYTES);
    if (fitting.length < files.length) toast.error(t('playground.image.tooLarge'));
    const added = await Promise.all(fitting.map(dataAddress));
    // Images may have been removed or sent meanwhile; the same image twice is one.
    setImages((current) => [...new Set([...current, ...added])].slice(0, MAX_IMAGES));
  };
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Attached images={images} onImages={setImages} />
      <Textarea
        aria-label={t('playground.message')}
        placeholder={t('playground.message.hint')}
        minRows={1}
        maxRows={8}
        variant="unstyled"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          // The Enter of an input method confirms a candidate and must not send.
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <Group gap="md" justify="space-between">
        <FileButton
          multiple
          accept="image/png,image/jpeg,image/webp,image/gif"
          onChange={(files) => void attach(files)}
        >
          {(props) => (
            <ToolButton
              {...props}
              label={t('playground.image.add')}
              disabled={images.length >= MAX_IMAGES}
              icon={IconPhoto}
              iconSize={18}
            />
          )}
        </FileButton>
        {isBusy ? (
          <SideButton icon={IconPlayerStop} label={t('common.stop')} onClick={onStop} />
        ) : (
          <Button type="submit" leftSection={<IconSend size={16} />} disabled={!canSend}>
            {t('common.send')}
          </Button>
        )}
      </Group>
    </form>
  );
});

interface AttachedProps {
  readonly images: readonly string[];
  readonly onImages: (images: readonly string[]) => void;
}

function Attached({ images, onImages }: AttachedProps) {
  const { t } = useTranslation();
  if (images.length === 0) return null;
  return (
    <Group pt="xs">
      {images.map((image, index) => (
        <div key={image} className={classes.attached}>
          <img src={image} alt={t('playground.image', { number: index + 1 })} />
          <CloseButton
            size="xs"
            aria-label={t('playground.image.remove', { number: index + 1 })}
            onClick={() => onImages(images.filter((one) => one !== image))}
          />
        </div>
      ))}
    </Group>
  );
}

function dataAddress(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
