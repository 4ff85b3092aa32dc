/** Two pictures to compare: any two of the noisy, the clean and the denoised ones. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import {
  BlobImage,
  type ComparedPicture,
  Comparison,
  useBlobAddress,
} from "../../components/comparison.js";
import { Button, Choice } from "../../components/controls.js";
import type { Place } from "../../components/drag.js";
import { Figure } from "../../components/panel.js";
import type { Denoised, Looks, ShownTile } from "./denoise-jobs.js";
import { Loupe } from "./loupe.js";
import { type Way, wayNames } from "./settings.js";
import { type Viewing, ViewChoices, views, zooms } from "./view-choices.js";
import { downloadName } from "./words.js";

interface ComparedPicturesProps {
  /** Name of the file. */
  readonly name: string;
  readonly looks: Looks;
  readonly results: ReadonlyMap<Way, Denoised>;
  /** Parts of the running result. */
  readonly tiles: readonly ShownTile[];
  /** Chosen way to denoise. */
  readonly way: Way;
}

const gainOfLoupe = 4;

/** "noisy", "clean" or a way to denoise. */
type Side = "noisy" | "clean" | Way;
type Pictures = ReadonlyMap<Side, ComparedPicture>;

export function ComparedPictures(props: ComparedPicturesProps): VNode {
  const { name, looks, results, tiles, way } = props;
  const [viewing, setViewing] = useState<Viewing>({ zoom: "fit", view: "line", hasLoupe: false });
  const chosen = useSides(looks, results, way);
  const { pictures, left, right } = chosen;
  const [place, setPlace] = useState<Place>({ x: 0.5, y: 0.5 });
  const [isHigh, setHigh] = useState(false);
  const size = { width: looks.width, height: looks.height };
  const sides = {
    left: pictures.get(left) ?? noisyOf(looks),
    right: (right && pictures.get(right)) ?? null,
  };
  const { hasLoupe } = viewing;
  const gain = views[viewing.view];
  return (
    <Figure caption={captionOf(sides, gain, results.has(way))}>
      <Comparison
        {...sides}
        {...size}
        zoom={zooms[viewing.zoom]}
        gain={gain}
        over={tiles.map((tile) => (
          <TileImage key={`${tile.left} ${tile.top}`} tile={tile} size={size} />
        ))}
        onPoint={(next, isLow) => {
          if (!hasLoupe) return;
          setPlace(next);
          setHigh(isLow);
        }}
      >
        {hasLoupe && (
          <Loupe
            {...sides}
            {...size}
            place={place}
            onPlace={setPlace}
            isHigh={isHigh}
            gain={gain ?? gainOfLoupe}
          />
        )}
      </Comparison>
      <div class="viewing">
        <SideChoices sides={chosen} />
        <ViewChoices viewing={viewing} hasTwo={sides.right !== null} onChange={setViewing} />
        <Download name={name} result={results.get(way)} way={way} />
      </div>
    </Figure>
  );
}

/** Chooses the pictures on both sides; a picture is not compared with itself. */
function SideChoices({ sides }: { readonly sides: ReturnType<typeof useSides> }): VNode {
  const { pictures, left, right, setLeft, setRight } = sides;
  const choices = [...pictures].map(([value, { label }]) => ({ value, label }));
  const others = choices.filter(({ value }) => value !== left);
  return (
    <>
      <Choice label="Left" value={left} choices={choices} onChange={setLeft} />
      {right !== null && (
        <Choice label="Right" value={right} choices={others} onChange={setRight} />
      )}
    </>
  );
}

interface TileImageProps {
  readonly tile: ShownTile;
  /** Size of the picture. */
  readonly size: { readonly width: number; readonly height: number };
}

/** A part of the result, over its place in the picture. */
function TileImage({ tile, size }: TileImageProps): VNode {
  const { left, top, width, height, file } = tile;
  return (
    <div
      class="tile"
      style={{
        left: `${(100 * left) / size.width}%`,
        top: `${(100 * top) / size.height}%`,
        width: `${(100 * width) / size.width}%`,
        height: `${(100 * height) / size.height}%`,
      }}
    >
      <BlobImage
        picture={{ label: "first part of the result", file }}
        width={width}
        height={height}
      />
    </div>
  );
}

/** The sides of the comparison. A change of the chosen way shows its result on the right. */
function useSides(looks: Looks, results: ReadonlyMap<Way, Denoised>, way: Way) {
  const [chosenLeft, setLeft] = useState<Side>("noisy");
  const [chosenRight, setRight] = useState<Side | null>(null);
  useEffect(() => {
    setRight(null);
  }, [way]);
  const pictures = picturesOf(looks, results);
  const left = pictures.has(chosenLeft) ? chosenLeft : "noisy";
  const wanted: readonly (Side | null)[] = [chosenRight, way, "clean", "noisy"];
  const right = wanted.find((side) => side !== null && side !== left && pictures.has(side)) ?? null;
  return { pictures, left, right, setLeft, setRight };
}

const noisyOf = (looks: Looks): ComparedPicture => ({ label: "noisy", file: looks.noisy });

function picturesOf(looks: Looks, results: ReadonlyMap<Way, Denoised>): Pictures {
  return new Map<Side, ComparedPicture>([
    ["noisy", noisyOf(looks)],
    ...(looks.clean ? ([["clean", { label: "clean", file: looks.clean }]] as const) : []),
    ...[...results].map(
      ([way, { picture }]) => [way, { label: wayNames[way], file: picture }] as const,
    ),
  ]);
}

function captionOf(
  { left, right }: { readonly left: ComparedPicture; readonly right: ComparedPicture | null },
  gain: number | null,
  hasResult: boolean,
): string {
  const ahead = hasResult ? "" : " The result will appear here.";
  if (!right) return `The noisy picture.${ahead}`;
  if (gain !== null) {
    return `|${left.label} − ${right.label}|, ${gain} times as bright. Black: no difference.`;
  }
  return `Move the line. Left: ${left.label}. Right: ${right.label}.${ahead}`;
}

interface DownloadProps extends Pick<ComparedPicturesProps, "name" | "way"> {
  readonly result: Denoised | undefined;
}

function Download({ name, result, way }: DownloadProps): VNode {
  const address = useBlobAddress(result?.picture ?? null);
  if (!result || address === null) {
    return (
      <Button disabled onClick={() => undefined}>
        Download PNG
      </Button>
    );
  }
  return (
    <a class="button" href={address} download={downloadName(name, way, result.sigma)}>
      Download PNG
    </a>
  );
}
