/**
 * Locations of other tools that lie in the metropolis of one of ours. A region that is only near to one is not listed: a check that
 * silently ran elsewhere would measure something else.
 */
import { entryOf } from "./carry/entry-of.ts";

const LOCATION_BY_REGION: Readonly<Record<string, string>> = {
  // Amazon's regions, which several tools name.
  "us-east-1": "loc_us_east",
  "us-west-2": "loc_us_west",
  "ca-central-1": "loc_na_north",
  "sa-east-1": "loc_sa_east",
  "eu-west-1": "loc_eu_west",
  "eu-west-2": "loc_eu_west_2",
  "eu-central-1": "loc_eu_central",
  "eu-north-1": "loc_eu_north",
  "ap-southeast-1": "loc_ap_southeast",
  "ap-northeast-1": "loc_ap_northeast",
  "ap-south-1": "loc_ap_south",
  "ap-southeast-2": "loc_ap_oceania",
  "af-south-1": "loc_af_south",
  "azure:eastus": "loc_us_east",
  "azure:southcentralus": "loc_us_south",
  "gcp:us-east4": "loc_us_east",
  "gcp:us-south1": "loc_us_south",
  "gcp:us-west1": "loc_us_west",
  "gcp:europe-west2": "loc_eu_west_2",
  "gcp:europe-west3": "loc_eu_central",
  "gcp:asia-northeast1": "loc_ap_northeast",
  // Cities.
  northvirginia: "loc_us_east",
  dallas: "loc_us_south",
  oregon: "loc_us_west",
  montreal: "loc_na_north",
  saopaulo: "loc_sa_east",
  dublin: "loc_eu_west",
  london: "loc_eu_west_2",
  frankfurt: "loc_eu_central",
  stockholm: "loc_eu_north",
  singapore: "loc_ap_southeast",
  tokyo: "loc_ap_northeast",
  mumbai: "loc_ap_south",
  sydney: "loc_ap_oceania",
  capetown: "loc_af_south",
};

/** Returns the id of our location in the metropolis of the region; undefined when there is none. */
export function locationOfRegion(region: string): string | undefined {
  const name = region.trim().toLowerCase().replace(/^aws:/, "");
  const city = name.normalize("NFD").replace(/[^a-z]/g, "");
  return entryOf(LOCATION_BY_REGION, name) ?? entryOf(LOCATION_BY_REGION, city);
}
